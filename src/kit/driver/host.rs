//! One running driver: its own process group, a clean environment, deadlines, a limit on memory and on output.

use super::{Program, memory};
use crate::kit::guard::{Guard, MARK};
use crate::kit::history::{Entry, Halt, Recorder};
use crate::kit::protocol::conversation::{BadLine, Conversation};
use crate::kit::protocol::{Asked, Command, Event, Failure, Options, Role};
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// What a driver may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may take to say `startup_complete`.
    pub start: Duration,
    /// How long it may take to read a command or to close.
    pub command: Duration,
    /// The longest line, in bytes.
    pub line: u64,
    /// All its output, in bytes.
    pub output: u64,
    /// How many lines.
    pub lines: u64,
    /// Memory of its process group, in MiB.
    pub memory_mib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            start: Duration::from_secs(60),
            command: Duration::from_secs(60),
            line: 64 << 20,
            output: 256 << 20,
            lines: 1_000_000,
            memory_mib: 2048,
        }
    }
}

/// What comes from the tasks that listen.
enum Heard {
    Event(Event),
    Halt(Halt),
    Exited(ExitStatus, String),
}

/// A running driver. Dropping it kills its process group.
pub struct Driver {
    name: String,
    group: u32,
    input: Option<ChildStdin>,
    heard: mpsc::UnboundedReceiver<Heard>,
    conversation: Arc<Mutex<Conversation>>,
    recorder: Recorder,
    limits: Limits,
    step: String,
    next: u64,
    exited: Option<(ExitStatus, String)>,
    closing: bool,
}

/// What starting needs to know.
pub struct Start<'s> {
    /// The driver.
    pub program: &'s Program,
    /// The name that the scenario gives it.
    pub name: &'s str,
    /// Its role.
    pub role: Role,
    /// Its options.
    pub options: Options,
    /// What it may use.
    pub limits: Limits,
    /// The first id for its commands; ids are unique in the run.
    pub first_id: u64,
}

impl Driver {
    /// Starts a driver and waits until its client has been made.
    pub async fn start(start: Start<'_>, guard: &Guard, recorder: &Recorder, step: &str) -> Result<Driver, Halt> {
        let Start { program, name, role, options, limits, first_id } = start;
        recorder.record(Entry::Started { driver: name.to_owned(), role, options: options.clone() });
        let mut command = program.command(&program.manifest.run);
        command
            .arg(role.word())
            .args(options.arguments())
            .env(MARK, guard.mark())
            .stdin(std::process::Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let crashed = |how: String| Halt::Crashed { driver: name.to_owned(), step: "start the driver".to_owned(), how };
        let mut child = command.spawn().map_err(|why| crashed(format!("{}: {why}", program.manifest.run[0])))?;
        let group = child.id().ok_or_else(|| crashed("it ended at once".to_owned()))?;
        guard.watch(group);
        let mut conversation = Conversation::new(role);
        conversation.step("start the driver");
        let conversation = Arc::new(Mutex::new(conversation));
        let (say, heard) = mpsc::unbounded_channel();
        let input = child.stdin.take();
        let listening =
            Listening { name: name.to_owned(), limits, recorder: recorder.clone(), conversation: Arc::clone(&conversation), say };
        listening.spawn(child, group, guard.clone());
        let mut driver = Driver {
            name: name.to_owned(),
            group,
            input,
            heard,
            conversation,
            recorder: recorder.clone(),
            limits,
            step: "start the driver".to_owned(),
            next: first_id,
            exited: None,
            closing: false,
        };
        driver.expect(limits.start, |event| matches!(event, Event::StartupComplete {}).then_some(())).await?;
        driver.step(step);
        Ok(driver)
    }

    /// Says what the kit does from now on.
    pub fn step(&mut self, step: &str) {
        step.clone_into(&mut self.step);
        self.conversation().step(step);
    }

    /// The name that the scenario gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id that its next command gets.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Sends a command; returns its id.
    pub async fn send(&mut self, command: Command) -> Result<u64, Halt> {
        Ok(self.send_all([command]).await?.start)
    }

    /// Sends commands in one go; returns their ids.
    pub async fn send_all(&mut self, commands: impl IntoIterator<Item = Command>) -> Result<std::ops::Range<u64>, Halt> {
        let first = self.next;
        let mut lines = Vec::new();
        for command in commands {
            let asked = Asked { id: self.next, command };
            self.next += 1;
            self.closing |= asked.command == Command::Close;
            serde_json::to_writer(&mut lines, &asked).map_err(|why| Halt::Kit { trouble: why.to_string() })?;
            lines.push(b'\n');
            self.conversation().asked(&asked);
            self.recorder.record(Entry::Sent { driver: self.name.clone(), asked });
        }
        let Some(input) = self.input.as_mut() else { return Err(self.crashed().await) };
        // What was heard meanwhile waits in the channel, so a driver that answers cannot block here.
        match timeout(self.limits.command, input.write_all(&lines)).await {
            Ok(Ok(())) => Ok(first..self.next),
            Ok(Err(_)) => Err(self.crashed().await),
            Err(_) => Err(self.hung(self.limits.command)),
        }
    }

    /// Waits until `pick` picks an event; others pass by (they are in the history).
    pub async fn expect<T>(&mut self, limit: Duration, pick: impl FnMut(&Event) -> Option<T>) -> Result<T, Halt> {
        match self.wait(limit, pick).await? {
            Some(found) => Ok(found),
            None => Err(self.hung(limit)),
        }
    }

    /// Like [`expect`](Self::expect), but gives `None` when the time is over.
    pub async fn wait<T>(&mut self, limit: Duration, mut pick: impl FnMut(&Event) -> Option<T>) -> Result<Option<T>, Halt> {
        let until = Instant::now() + limit;
        loop {
            let Ok(heard) = timeout_at(until, self.heard.recv()).await else { return Ok(None) };
            match heard {
                Some(Heard::Event(event)) => {
                    if let Some(found) = pick(&event) {
                        return Ok(Some(found));
                    }
                    if let Event::Unsupported { reason, link, option, .. } = event {
                        let reason = option.map_or(reason.clone(), |option| format!("{option}: {reason}"));
                        return Err(Halt::Unsupported { reason, link });
                    }
                }
                Some(Heard::Halt(halt)) => return Err(halt),
                Some(Heard::Exited(status, words)) => {
                    self.exited = Some((status, words));
                    return Err(self.crashed().await);
                }
                None => return Err(self.crashed().await),
            }
        }
    }

    /// Waits until every command has been answered.
    pub async fn settle(&mut self, limit: Duration) -> Result<(), Halt> {
        while self.conversation().unanswered() > 0 {
            let conversation = Arc::clone(&self.conversation);
            let unanswered = move || conversation.lock().unwrap_or_else(PoisonError::into_inner).unanswered();
            self.expect(limit, |event| (event.answers().is_some() && unanswered() == 0).then_some(())).await?;
        }
        Ok(())
    }

    /// Sends a command that is answered by `done` or `failed`, and waits for it.
    pub async fn ask(&mut self, command: Command, limit: Duration) -> Result<Result<(), Failure>, Halt> {
        let id = self.send(command).await?;
        self.expect(limit, |event| match event {
            Event::Done { id: answered } if *answered == id => Some(Ok(())),
            Event::OffsetsCommitted { id: Some(answered), .. } if *answered == id => Some(Ok(())),
            Event::Failed { id: answered, failure } if *answered == id => Some(Err(failure.clone())),
            _ => None,
        })
        .await
    }

    /// Like [`ask`](Self::ask) where the scenario means nothing if it fails.
    pub async fn must(&mut self, command: Command, limit: Duration) -> Result<(), Halt> {
        let word = command.word();
        self.ask(command, limit).await?.map_err(|failure| Halt::Failed {
            driver: self.name.clone(),
            step: self.step.clone(),
            failure: format!("{word}: {} {}", failure.error, failure.message).trim().to_owned(),
        })
    }

    /// Closes the client and waits for the driver's end.
    pub async fn close(mut self, limit: Duration) -> Result<(), Halt> {
        self.send(Command::Close).await?;
        self.expect(limit, |event| matches!(event, Event::ShutdownComplete { .. }).then_some(())).await?;
        self.input = None;
        let until = Instant::now() + limit;
        loop {
            match timeout_at(until, self.heard.recv()).await {
                Ok(Some(Heard::Exited(status, words))) => {
                    self.exited = Some((status, words));
                    return if status.success() { Ok(()) } else { Err(self.crashed().await) };
                }
                Ok(Some(Heard::Halt(halt))) => return Err(halt),
                Ok(Some(Heard::Event(_))) => {}
                Ok(None) => return Ok(()),
                Err(_) => return Err(self.hung(limit)),
            }
        }
    }

    /// Kills it with SIGKILL, as a crash would, and waits until it is gone.
    pub async fn kill(mut self) {
        self.signal(Signal::KILL);
        while let Some(heard) = self.heard.recv().await {
            if let Heard::Exited(status, words) = heard {
                self.exited = Some((status, words));
                break;
            }
        }
    }

    fn conversation(&self) -> MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hung(&self, waited: Duration) -> Halt {
        Halt::Hung {
            driver: self.name.clone(),
            step: self.step.clone(),
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// It has ended: says how, once its last words are here. A bad line or an `unsupported` before counts more.
    async fn crashed(&mut self) -> Halt {
        while self.exited.is_none() {
            match timeout(Duration::from_secs(5), self.heard.recv()).await {
                Ok(Some(Heard::Halt(halt))) => return halt,
                Ok(Some(Heard::Event(Event::Unsupported { reason, link, .. }))) => return Halt::Unsupported { reason, link },
                Ok(Some(Heard::Event(_))) => {}
                Ok(Some(Heard::Exited(status, words))) => self.exited = Some((status, words)),
                Ok(None) | Err(_) => break,
            }
        }
        let how = match &self.exited {
            Some((status, words)) => format!("{status}\n{words}").trim_end().to_owned(),
            None => "its input is closed".to_owned(),
        };
        Halt::Crashed { driver: self.name.clone(), step: self.step.clone(), how }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.group as i32) {
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.exited.is_none() {
            self.signal(Signal::KILL);
        }
    }
}

/// What the listening tasks share.
struct Listening {
    name: String,
    limits: Limits,
    recorder: Recorder,
    conversation: Arc<Mutex<Conversation>>,
    say: mpsc::UnboundedSender<Heard>,
}

impl Listening {
    /// Reads both outputs, watches the memory, and waits for the end.
    fn spawn(self, mut child: Child, group: u32, guard: Guard) {
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let say = self.say.clone();
        let (name, recorder, conversation) = (self.name.clone(), self.recorder.clone(), Arc::clone(&self.conversation));
        let memory_mib = self.limits.memory_mib;
        let words = tokio::spawn(last_words(errors));
        let mut reader = tokio::spawn(async move { self.read(output).await });
        tokio::spawn(async move {
            let status = tokio::select! {
                status = child.wait() => status,
                mib = too_much_memory(group, memory_mib) => {
                    let step = conversation.lock().unwrap_or_else(PoisonError::into_inner).current_step().to_owned();
                    let _ = say.send(Heard::Halt(Halt::Memory { driver: name.clone(), step, mib }));
                    kill_group(group);
                    child.wait().await
                }
            };
            // A child of the driver may hold the pipe open; it goes with the group.
            if timeout(Duration::from_millis(500), &mut reader).await.is_err() {
                kill_group(group);
                let _ = timeout(Duration::from_secs(2), reader).await;
            }
            let words = timeout(Duration::from_secs(2), words).await.ok().and_then(Result::ok).unwrap_or_default();
            guard.forget(group);
            if let Ok(status) = status {
                recorder.record(Entry::Exited { driver: name, code: status.code(), words: words.clone() });
                let _ = say.send(Heard::Exited(status, words));
            }
        });
    }

    async fn read(self, output: Option<ChildStdout>) {
        let Some(output) = output else { return };
        let mut reader = BufReader::with_capacity(64 << 10, output);
        let (mut line, mut bytes, mut lines) = (Vec::new(), 0_u64, 0_u64);
        loop {
            line.clear();
            let read = (&mut reader).take(self.limits.line + 1).read_until(b'\n', &mut line).await;
            let Ok(count @ 1..) = read else { return };
            bytes += count as u64;
            lines += 1;
            if count as u64 > self.limits.line || bytes > self.limits.output || lines > self.limits.lines {
                self.bad(self.flood(&line, bytes, lines));
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            let heard = self.conversation.lock().unwrap_or_else(PoisonError::into_inner).hear(text);
            match heard {
                Ok(event) => {
                    self.recorder.record(Entry::Said { driver: self.name.clone(), event: event.clone() });
                    let _ = self.say.send(Heard::Event(event));
                }
                Err(bad) => {
                    self.bad(bad);
                    break;
                }
            }
        }
        // One bad line is enough; the rest is read so that the driver does not block, and forgotten.
        let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
    }

    fn bad(&self, bad: Box<BadLine>) {
        self.recorder.record(Entry::Bad { driver: self.name.clone(), bad: (*bad).clone() });
        let _ = self.say.send(Heard::Halt(Halt::Spoke { driver: self.name.clone(), bad }));
    }

    fn flood(&self, line: &[u8], bytes: u64, lines: u64) -> Box<BadLine> {
        let step = self.conversation.lock().unwrap_or_else(PoisonError::into_inner).current_step().to_owned();
        Box::new(BadLine {
            code: crate::kit::codes::FLOOD.id.to_owned(),
            line: String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned(),
            step,
            expected: format!(
                "lines of at most {} bytes, in all at most {} lines and {} bytes",
                self.limits.line, self.limits.lines, self.limits.output
            ),
            cause: format!("{lines} lines and {bytes} bytes came: is an event printed in a loop without a command?"),
        })
    }
}

async fn too_much_memory(group: u32, most: u64) -> u64 {
    loop {
        sleep(Duration::from_millis(500)).await;
        let mib = memory::of_group(group);
        if mib > most {
            return mib;
        }
    }
}

/// The last 4 KiB of standard error.
async fn last_words(errors: Option<ChildStderr>) -> String {
    let Some(mut errors) = errors else { return String::new() };
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..count]);
        let extra = kept.len().saturating_sub(4096);
        kept.drain(..extra);
    }
    crate::kit::broker::tail(&String::from_utf8_lossy(&kept), 20)
}

fn kill_group(group: u32) {
    if let Some(group) = Pid::from_raw(group as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
