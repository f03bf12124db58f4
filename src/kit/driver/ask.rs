//! What scenarios ask of drivers again and again.

use super::host::Driver;
use crate::kit::history::Halt;
use crate::kit::protocol::{Command, Delivered, Event, Message};
use std::time::{Duration, Instant};

/// How long one poll waits, in milliseconds.
const POLL_MS: u64 = 1000;

impl Driver {
    /// Sends records and waits until each is acknowledged or has failed.
    pub async fn send_messages(&mut self, messages: impl IntoIterator<Item = Message>, limit: Duration) -> Result<(), Halt> {
        let mut commands: Vec<Command> = messages.into_iter().map(Command::Send).collect();
        commands.push(Command::Flush { timeout_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) });
        self.send_all(commands).await?;
        self.settle(limit).await
    }

    /// Polls once.
    pub async fn poll(&mut self, max: u32, timeout_ms: u64) -> Result<Vec<Delivered>, Halt> {
        let id = self.send(Command::Poll { max, timeout_ms }).await?;
        // A client may need a while for its first fetch although the poll itself is short.
        let limit = Duration::from_millis(timeout_ms) + Duration::from_secs(60);
        self.expect(limit, |event| match event {
            Event::RecordsConsumed { id: answered, records } if *answered == id => Some(records.clone()),
            _ => None,
        })
        .await
    }

    /// Polls until `count` records have come, or nothing new has come for `patience`. Never asks for more than are missing.
    pub async fn collect(&mut self, count: usize, patience: Duration) -> Result<usize, Halt> {
        let (mut got, mut last) = (0, Instant::now());
        while got < count && last.elapsed() < patience {
            let records = self.poll((count - got).min(500) as u32, POLL_MS).await?;
            if !records.is_empty() {
                got += records.len();
                last = Instant::now();
            }
        }
        Ok(got)
    }

    /// Polls for a little while for what must not come.
    pub async fn linger(&mut self, polls: u32) -> Result<(), Halt> {
        for _ in 0..polls {
            self.poll(100, POLL_MS / 2).await?;
        }
        Ok(())
    }
}
