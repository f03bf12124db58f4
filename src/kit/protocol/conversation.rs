//! Holds a driver to the protocol: every line it says is checked against the protocol and against what it was asked.
//!
//! A bad line is answered with the line, the step, what was expected and the likely cause, addressed to the driver's author.

use super::{Asked, Command, EVENTS, Event, Role};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::kit::codes;
use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// A line that breaks the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadLine {
    /// The finding's id, `CB6xx`.
    pub code: String,
    /// The line, shortened to [`SHOWN`] characters.
    pub line: String,
    /// What the kit was doing.
    pub step: String,
    /// What was expected.
    pub expected: String,
    /// The likely cause.
    pub cause: String,
}

/// How much of a bad line is shown, in characters.
pub const SHOWN: usize = 200;

impl BadLine {
    fn new(code: &Code, line: &str, step: &str, expected: impl Into<String>, cause: impl Into<String>) -> Box<Self> {
        let mut shown: String = line.chars().take(SHOWN).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        Box::new(BadLine {
            code: code.id.to_owned(),
            line: shown,
            step: step.to_owned(),
            expected: expected.into(),
            cause: cause.into(),
        })
    }

    /// As a finding in the driver's folder.
    pub fn finding(&self, driver: &Utf8Path) -> Diagnostic {
        let code = codes::ALL.iter().copied().find(|code| code.id == self.code).unwrap_or(&codes::NOT_JSON);
        Diagnostic::new(code, format!("{} while the kit did this: {}", code.summary, self.step))
            .in_file(driver)
            .note(format!("the driver said: `{}`", self.line))
            .note(format!("expected: {}", self.expected))
            .help(self.cause.clone())
    }
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: at step “{}” the driver said `{}`; expected {}; {}",
            self.code, self.step, self.line, self.expected, self.cause
        )
    }
}

/// What one driver process was asked, and what it has answered.
#[derive(Debug)]
pub struct Conversation {
    role: Role,
    step: String,
    open: HashMap<u64, Command>,
    answered: HashMap<u64, &'static str>,
    started: bool,
    ended: bool,
}

type Checked<T> = Result<T, Box<BadLine>>;

impl Conversation {
    /// A driver just started as `role`.
    pub fn new(role: Role) -> Self {
        Conversation {
            role,
            step: "start the driver".to_owned(),
            open: HashMap::new(),
            answered: HashMap::new(),
            started: false,
            ended: false,
        }
    }

    /// Says what the kit does from now on; a bad line names it.
    pub fn step(&mut self, step: &str) {
        step.clone_into(&mut self.step);
    }

    /// The step.
    pub fn current_step(&self) -> &str {
        &self.step
    }

    /// Notes that a command has been sent.
    pub fn asked(&mut self, asked: &Asked) {
        self.open.insert(asked.id, asked.command.clone());
    }

    /// Commands without an answer.
    pub fn unanswered(&self) -> usize {
        self.open.len()
    }

    /// Reads a line. Takes it as the answer to a command, if it is one.
    pub fn hear(&mut self, line: &str) -> Checked<Event> {
        let value = self.object(line)?;
        let event = self.shape(line, value)?;
        self.order(line, &event)?;
        self.answer(line, &event)?;
        Ok(event)
    }

    fn bad<T>(&self, code: &Code, line: &str, expected: impl Into<String>, cause: impl Into<String>) -> Checked<T> {
        Err(BadLine::new(code, line, &self.step, expected, cause))
    }

    fn object(&self, line: &str) -> Checked<serde_json::Map<String, Value>> {
        let expected = "one JSON object on a line, as in {\"event\":\"done\",\"id\":2}";
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(_) => self.bad(
                &codes::NOT_OBJECT,
                line,
                expected,
                "the line is JSON, but not an object: put the value into one, with a field \"event\"",
            ),
            Err(why) => {
                let start = line.trim_start();
                let cause = if !start.starts_with('{') {
                    "something other than the driver's events was printed to standard output: send logs and prints to standard error"
                        .to_owned()
                } else if why.is_eof() {
                    "the object is cut short: print it with one write, and flush after each line".to_owned()
                } else if line.contains('\'') && !line.contains('"') {
                    "single quotes: print it with the language's JSON library, not with its own notation".to_owned()
                } else if why.to_string().contains("trailing characters") {
                    "more than one object on the line: end each with a line feed, and write each line whole (is there more than one thread?)".to_owned()
                } else {
                    format!("it does not parse: {why}")
                };
                self.bad(&codes::NOT_JSON, line, expected, cause)
            }
        }
    }

    fn shape(&self, line: &str, map: serde_json::Map<String, Value>) -> Checked<Event> {
        let names = || EVENTS.iter().map(|(name, ..)| *name);
        let Some(name) = map.get("event").and_then(Value::as_str).map(str::to_owned) else {
            let cause = match map.get("name") {
                Some(_) => {
                    "this looks like Kafka's own verifiable events, which say \"name\": say \"event\", or set dialect = \"verifiable\" in driver.toml"
                }
                None => "the field \"event\" is missing or not a string",
            };
            return self.bad(&codes::UNKNOWN_EVENT, line, "a field \"event\" that names the event", cause);
        };
        let Some((_, must, may)) = EVENTS.iter().find(|(known, ..)| *known == name) else {
            let cause = match did_you_mean(&name, names()) {
                Some(meant) => format!("there is no event {name:?}: did you mean {meant:?}?"),
                None => format!("there is no event {name:?}"),
            };
            return self.bad(&codes::UNKNOWN_EVENT, line, format!("one of {}", names().collect::<Vec<_>>().join(", ")), cause);
        };
        let expected = || {
            let fields: Vec<String> =
                must.iter().map(|f| (*f).to_owned()).chain(may.iter().map(|f| format!("{f} (optional)"))).collect();
            if fields.is_empty() {
                format!("{name} without further fields")
            } else {
                format!("{name} with {}", fields.join(", "))
            }
        };
        if let Some(missing) = must.iter().find(|field| !map.contains_key(**field)) {
            return self.bad(&codes::WRONG_SHAPE, line, expected(), format!("the field {missing:?} is missing"));
        }
        let known = |key: &str| key == "event" || must.contains(&key) || may.contains(&key);
        if let Some(unknown) = map.keys().find(|key| !known(key)) {
            let cause = match did_you_mean(unknown, must.iter().chain(may.iter()).copied()) {
                Some(meant) => format!("there is no field {unknown:?} in {name}: did you mean {meant:?}?"),
                None => format!("there is no field {unknown:?} in {name}: leave it out"),
            };
            return self.bad(&codes::WRONG_SHAPE, line, expected(), cause);
        }
        match serde_json::from_value(Value::Object(map)) {
            Ok(event) => Ok(event),
            Err(why) => self.bad(&codes::WRONG_SHAPE, line, expected(), format!("a field does not have the right type: {why}")),
        }
    }

    /// Whether this event may come now at all.
    fn order(&mut self, line: &str, event: &Event) -> Checked<()> {
        if self.ended {
            return self.bad(
                &codes::WRONG_ORDER,
                line,
                "nothing after shutdown_complete",
                "say shutdown_complete as the last thing, after the client is closed",
            );
        }
        let fits = match event {
            Event::Info(_) => self.role == Role::Info,
            Event::ProducerSendSuccess { .. } | Event::ProducerSendError { .. } => self.role == Role::Producer,
            Event::RecordsConsumed { .. }
            | Event::ConsumerError { .. }
            | Event::PartitionsAssigned { .. }
            | Event::PartitionsRevoked { .. }
            | Event::PartitionsLost { .. } => self.role == Role::Consumer,
            _ => self.role != Role::Info || matches!(event, Event::Unsupported { .. }),
        };
        if !fits {
            let expected = format!("an event of the role {}", self.role.word());
            return self.bad(&codes::WRONG_ORDER, line, expected, format!("the driver was started as {}", self.role.word()));
        }
        match event {
            Event::StartupComplete {} if self.started => self.bad(
                &codes::WRONG_ORDER,
                line,
                "startup_complete once",
                "it was said before: say it once, after the client has been made",
            ),
            Event::StartupComplete {} => {
                self.started = true;
                Ok(())
            }
            Event::Info(_) | Event::Unsupported { .. } | Event::ConsumerError { .. } => Ok(()),
            _ if !self.started => self.bad(
                &codes::WRONG_ORDER,
                line,
                "{\"event\":\"startup_complete\"} before any other event",
                "say startup_complete after the client has been made (it need not have connected)",
            ),
            Event::ShutdownComplete { .. } => {
                self.ended = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether it answers what was asked.
    fn answer(&mut self, line: &str, event: &Event) -> Checked<()> {
        let Some(id) = event.answers() else { return Ok(()) };
        let Some(command) = self.open.get(&id) else {
            let cause = match self.answered.get(&id) {
                Some(word) => format!("command {id} ({word}) has been answered before: answer each command once"),
                None => format!("the kit never sent a command with the id {id}: repeat the id of the command that is answered"),
            };
            return self.bad(&codes::WRONG_ID, line, "the id of a command that is not answered yet", cause);
        };
        let word = command.word();
        if !matches!(event, Event::Unsupported { .. }) && !command.answers().contains(&event.word()) {
            let expected = format!("command {id} is a {word}, answered by {}", command.answers().join(" or "));
            return self.bad(&codes::WRONG_ANSWER, line, expected, format!("{} does not answer a {word}", event.word()));
        }
        if let Some((expected, cause)) = contradiction(command, event) {
            return self.bad(&codes::WRONG_ANSWER, line, expected, cause);
        }
        self.open.remove(&id);
        self.answered.insert(id, word);
        Ok(())
    }
}

/// What an answer says that its command rules out: what was expected, and the likely cause.
fn contradiction(command: &Command, event: &Event) -> Option<(String, String)> {
    match (command, event) {
        (Command::Send(message), Event::ProducerSendSuccess { topic, partition, offset, .. }) => {
            if *topic != message.topic {
                return Some((
                    format!("topic {:?}, as sent", message.topic),
                    "the answer names another topic: are answers mixed up?".into(),
                ));
            }
            if message.partition.is_some_and(|asked| asked != *partition) {
                let asked = message.partition.unwrap_or_default();
                return Some((
                    format!("partition {asked}, as sent"),
                    "the command's partition is not passed on to the client".into(),
                ));
            }
            if *partition < 0 || offset.is_some_and(|offset| offset < 0) {
                return Some((
                    "a partition and an offset of 0 or more; null for an offset that the client does not tell".into(),
                    "the client's mark for an unknown offset (-1) is passed on: say null".into(),
                ));
            }
            None
        }
        (Command::Poll { max, .. }, Event::RecordsConsumed { records, .. }) if records.len() > *max as usize => Some((
            format!("at most {max} records, as asked"),
            format!("{} records came: keep what the client gave too much for the next poll", records.len()),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::protocol::Message;

    fn producer() -> Conversation {
        let mut conversation = Conversation::new(Role::Producer);
        conversation.hear(r#"{"event":"startup_complete"}"#).unwrap();
        conversation.step("send one record");
        let message = Message { topic: "t".into(), partition: Some(0), key: None, value: None, headers: vec![], timestamp: None };
        conversation.asked(&Asked { id: 1, command: Command::Send(message) });
        conversation.asked(&Asked { id: 2, command: Command::Flush { timeout_ms: 5 } });
        conversation
    }

    fn refused(line: &str) -> BadLine {
        *producer().hear(line).unwrap_err()
    }

    #[test]
    fn a_right_answer_is_taken_once() {
        let mut conversation = producer();
        let line = r#"{"id":1,"event":"producer_send_success","topic":"t","partition":0,"offset":7}"#;
        assert_eq!(conversation.hear(line).unwrap().answers(), Some(1));
        let again = conversation.hear(line).unwrap_err();
        assert_eq!(again.code, "CB614");
        assert!(again.cause.contains("answered before"), "{again}");
        assert_eq!(conversation.unanswered(), 1);
    }

    #[test]
    fn each_bad_line_names_its_step_and_its_cause() {
        let table = [
            ("hello", "CB610", "standard error"),
            (r#"{"event":"done","id":2"#, "CB610", "cut short"),
            ("{'event': 1}", "CB610", "single quotes"),
            (r#"{"event":"done","id":2}{"event":"done","id":2}"#, "CB610", "more than one object"),
            ("[]", "CB611", "not an object"),
            (r#"{"name":"startup_complete"}"#, "CB612", "verifiable"),
            (r#"{"event":"producer_send_sucess","id":1}"#, "CB612", "did you mean \"producer_send_success\""),
            (r#"{"event":"done"}"#, "CB613", "\"id\" is missing"),
            (r#"{"event":"done","id":"2"}"#, "CB613", "right type"),
            (r#"{"event":"done","id":2,"when":1}"#, "CB613", "leave it out"),
            (r#"{"event":"failed","id":2,"class":"bad","error":"x"}"#, "CB613", "right type"),
            (r#"{"event":"done","id":9}"#, "CB614", "never sent"),
            (r#"{"event":"done","id":1}"#, "CB615", "does not answer a send"),
            (r#"{"event":"producer_send_success","id":1,"topic":"u","partition":0}"#, "CB615", "another topic"),
            (r#"{"event":"producer_send_success","id":1,"topic":"t","partition":1}"#, "CB615", "not passed on"),
            (r#"{"event":"producer_send_success","id":1,"topic":"t","partition":0,"offset":-1}"#, "CB615", "say null"),
            (r#"{"event":"startup_complete"}"#, "CB616", "said before"),
            (r#"{"event":"records_consumed","id":1,"records":[]}"#, "CB616", "started as producer"),
        ];
        for (line, code, cause) in table {
            let bad = refused(line);
            assert_eq!(bad.code, code, "{line}: {bad}");
            assert!(bad.cause.contains(cause), "{line}: {bad}");
            assert_eq!(bad.step, "send one record");
            assert!(bad.finding(Utf8Path::new("clients/x/driver")).notes.len() == 2);
        }
    }

    #[test]
    fn nothing_is_heard_before_the_start_or_after_the_end() {
        let mut early = Conversation::new(Role::Consumer);
        assert_eq!(early.hear(r#"{"event":"partitions_assigned","partitions":[["t",0]]}"#).unwrap_err().code, "CB616");
        let mut late = producer();
        late.hear(r#"{"event":"shutdown_complete"}"#).unwrap();
        assert_eq!(late.hear(r#"{"event":"done","id":2}"#).unwrap_err().code, "CB616");
    }

    #[test]
    fn a_poll_brings_no_more_than_was_asked_and_base64_is_base64() {
        let mut consumer = Conversation::new(Role::Consumer);
        consumer.hear(r#"{"event":"startup_complete"}"#).unwrap();
        consumer.asked(&Asked { id: 3, command: Command::Poll { max: 1, timeout_ms: 1 } });
        let record = r#"{"topic":"t","partition":0,"offset":0,"key":null,"value":"aGk=","headers":[["n",null]],"timestamp":1}"#;
        let two = format!(r#"{{"event":"records_consumed","id":3,"records":[{record},{record}]}}"#);
        assert_eq!(consumer.hear(&two).unwrap_err().code, "CB615");
        let raw = format!(r#"{{"event":"records_consumed","id":3,"records":[{}]}}"#, record.replace("aGk=", "hi!"));
        let bad = consumer.hear(&raw).unwrap_err();
        assert!(bad.cause.contains("not base64"), "{bad}");
        let one = format!(r#"{{"event":"records_consumed","id":3,"records":[{record}]}}"#);
        assert!(consumer.hear(&one).is_ok());
    }

    #[test]
    fn long_lines_are_shortened() {
        assert!(refused(&"x".repeat(10_000)).line.chars().count() == SHOWN + 1);
    }
}
