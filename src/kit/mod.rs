//! The compatibility kit: runs a client's driver through scenarios against a real broker, and believes only what it saw.
//!
//! The way of one scenario: [`run`] takes a [`broker`] and lays a [`proxy`] before it; a [`stage`] hands both to the
//! scenario, which starts the client's [`driver`] and speaks the line [`protocol`] with it. All that is said, sent and seen
//! goes into one [`history`]. Afterwards the scenario's judge, a pure function, reads the history and gives the outcome; a
//! saved history can be judged again at any time. The kit reads the broker's log with its own client, [`wire`].
//!
//! A driver's word is never evidence.

pub mod broker;
pub mod codes;
pub mod driver;
pub mod guard;
pub mod history;
pub mod judge;
pub mod protocol;
pub mod proxy;
pub mod report;
pub mod run;
pub mod scenarios;
pub mod seed;
pub mod stage;
pub mod wire;
