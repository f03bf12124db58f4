//! One connection: requests one way, answers the other, in the order the broker owes them.

use super::Shared;
use super::fault::{Stage, What};
use super::frame::{self, Frame, Head};
use crate::kit::history::{Entry, Inside};
use bytes::Bytes;
use kafka_protocol::messages::ApiVersionsRequest;
use kafka_protocol::protocol::Message;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, copy};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::time::sleep;

/// An answer that the client waits for.
struct Owed {
    head: Head,
    /// The proxy's own answer; the broker was not asked.
    forged: Option<Bytes>,
}

/// How many requests may be on their way at once before the proxy stops reading: more than any client's own limit.
const IN_FLIGHT: usize = 1024;

struct Connection {
    node: i32,
    number: u64,
    shared: Arc<Shared>,
}

/// Carries a connection to its end.
pub async fn run(client: TcpStream, behind: SocketAddr, node: i32, number: u64, shared: Arc<Shared>) {
    let mut closed = shared.closed.subscribe();
    let Ok(broker) = TcpStream::connect(behind).await else { return };
    let _ = client.set_nodelay(true);
    let _ = broker.set_nodelay(true);
    shared.record(Entry::Connection { connection: number, node, open: true });
    let connection = Connection { node, number, shared: Arc::clone(&shared) };
    let (from_client, to_client) = client.into_split();
    let (from_broker, to_broker) = broker.into_split();
    let (owe, owed) = mpsc::channel(IN_FLIGHT);
    // Whichever ends first ends the connection; both halves are then dropped, which closes both sockets.
    tokio::select! {
        _ = connection.requests(from_client, to_broker, owe) => {}
        _ = connection.answers(from_broker, to_client, owed) => {}
        _ = closed.changed() => {}
    }
    shared.record(Entry::Connection { connection: number, node, open: false });
}

impl Connection {
    async fn requests(&self, mut client: OwnedReadHalf, mut broker: OwnedWriteHalf, owe: mpsc::Sender<Owed>) -> io::Result<()> {
        while let Some(frame) = Frame::read(&mut client).await? {
            let Some(head) = frame::head(&frame.bytes) else { return Ok(()) };
            let inside =
                if frame.is_whole() && self.shared.is_recording() { frame::inside_request(head, &frame.bytes) } else { None };
            let fault = self.shared.strike(Stage::Request, self.node, head.api);
            self.note(true, head, frame.length, inside, fault);
            let mut forged = None;
            match fault {
                Some(What::CutBefore) => return Ok(()),
                Some(What::BlackHole) => return self.swallow(client).await,
                Some(What::Answer(code)) if frame.is_whole() => forged = frame::forge(head, &frame.bytes, code),
                _ => {}
            }
            // A broker of an older time does not know the newest way to ask for versions.
            if head.api == 18 && head.version > ApiVersionsRequest::VERSIONS.max && self.hides_versions() {
                forged = Some(frame::ask_versions_again(head));
            }
            let passes = forged.is_none();
            if head.answered && owe.send(Owed { head, forged }).await.is_err() {
                return Ok(());
            }
            if passes {
                broker.write_all(&(frame.length as u32).to_be_bytes()).await?;
                broker.write_all(&frame.bytes).await?;
                copy(&mut (&mut client).take(frame.rest()), &mut broker).await?;
            }
        }
        Ok(())
    }

    async fn answers(
        &self,
        mut broker: OwnedReadHalf,
        mut client: OwnedWriteHalf,
        mut owed: mpsc::Receiver<Owed>,
    ) -> io::Result<()> {
        loop {
            let Owed { head, forged } = tokio::select! {
                next = owed.recv() => match next { Some(owed) => owed, None => return Ok(()) },
                end = is_closed(&mut broker) => { end?; return Ok(()) }
            };
            let frame = match forged {
                Some(bytes) => Frame { length: bytes.len(), bytes },
                None => match Frame::read(&mut broker).await? {
                    Some(frame) => frame,
                    None => return Ok(()),
                },
            };
            let inside =
                if frame.is_whole() && self.shared.is_recording() { frame::inside_answer(head, &frame.bytes) } else { None };
            let fault = self.shared.strike(Stage::Answer, self.node, head.api);
            self.note(false, head, frame.length, inside, fault);
            let frame = change(head, frame, fault);
            let length = (frame.length as u32).to_be_bytes();
            match fault {
                Some(What::CutAfter) => return Ok(()),
                Some(What::CutInside(bytes)) => {
                    client.write_all(&length).await?;
                    let bytes = (bytes as usize).min(frame.bytes.len().saturating_sub(1));
                    client.write_all(&frame.bytes[..bytes]).await?;
                    return client.shutdown().await;
                }
                Some(What::Hold) => {
                    let mut healed = self.shared.healed.subscribe();
                    let _ = healed.changed().await;
                }
                Some(What::Delay(ms)) => sleep(Duration::from_millis(ms.into())).await,
                _ => {}
            }
            match fault {
                Some(What::Split) => trickle(&mut client, &[&length, &frame.bytes[..]].concat(), 1, Duration::ZERO).await?,
                Some(What::Throttle(rate)) => {
                    let piece = (rate / 20).max(1) as usize;
                    trickle(&mut client, &[&length, &frame.bytes[..]].concat(), piece, Duration::from_millis(50)).await?;
                }
                _ => {
                    client.write_all(&length).await?;
                    client.write_all(&frame.bytes).await?;
                }
            }
            copy(&mut (&mut broker).take(frame.rest()), &mut client).await?;
        }
    }

    /// Reads and forgets until healed.
    async fn swallow(&self, mut client: OwnedReadHalf) -> io::Result<()> {
        let mut healed = self.shared.healed.subscribe();
        tokio::select! {
            _ = healed.changed() => Ok(()),
            end = async { copy(&mut client, &mut tokio::io::sink()).await.map(|_| ()) } => end,
        }
    }

    fn hides_versions(&self) -> bool {
        let mut faults = self.shared.faults.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        matches!(faults.strike(Stage::Answer, self.node, 18), Some(What::HideVersions(..)))
    }

    fn note(&self, request: bool, head: Head, bytes: usize, inside: Option<Inside>, fault: Option<What>) {
        self.shared.record(Entry::Frame {
            connection: self.number,
            node: self.node,
            request,
            api: head.api,
            version: head.version,
            correlation: head.correlation,
            bytes,
            inside,
            fault: fault.map(|what| format!("{what:?}")),
        });
    }
}

/// Comes back when the broker has closed its side; waits for ever when bytes come that nobody asked for.
async fn is_closed(broker: &mut OwnedReadHalf) -> io::Result<()> {
    let mut byte = [0];
    if broker.peek(&mut byte).await? == 0 {
        return Ok(());
    }
    std::future::pending().await
}

/// The frame as the fault leaves it; as it is where the fault does not apply.
fn change(head: Head, frame: Frame, fault: Option<What>) -> Frame {
    if !frame.is_whole() {
        return frame;
    }
    let changed = match fault {
        Some(What::AnswerAfter(code)) => frame::with_code(head, &frame.bytes, code),
        Some(What::FlipBit) => frame::with_flipped_bit(head, &frame.bytes),
        Some(What::HideVersions(api, highest)) => frame::with_hidden_versions(head, &frame.bytes, api, highest),
        _ => None,
    };
    changed.map_or(frame, |bytes| Frame { length: bytes.len(), bytes })
}

async fn trickle(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8], piece: usize, pause: Duration) -> io::Result<()> {
    for piece in bytes.chunks(piece) {
        to.write_all(piece).await?;
        to.flush().await?;
        if pause.is_zero() {
            tokio::task::yield_now().await;
        } else {
            sleep(pause).await;
        }
    }
    Ok(())
}
