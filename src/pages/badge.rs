//! `/clients/<id>/badge.svg`: what the kit saw, in one line; never more than that.

use super::Model;
use crate::catalogue::{Client, Version};
use crate::matrix::{Row, State};
use crate::source::table::FromText;
use serde::Serialize;

/// `badge.svg`.
#[derive(Debug, Serialize)]
pub struct Badge<'m> {
    /// The book's name.
    pub label: &'m str,
    /// `security on 4.4.0`, `proven 3 of 37`, `claims only`, `no proof yet`.
    pub text: String,
    /// Something was proven.
    pub proven: bool,
    /// Width of the left half, in pixels.
    pub label_width: usize,
    /// Width of the right half.
    pub text_width: usize,
}

/// A character of the badge's type is about this wide, in tenths of a pixel; `textLength` makes it exact.
const CHARACTER: usize = 66;
const PADDING: usize = 20;

pub(super) fn view<'m>(model: &Model<'m>, client: &'m Client) -> Badge<'m> {
    let row = model.row(client);
    let total = model.catalogue.features.len();
    let count = |wanted: &[State]| row.map_or(0, |row| row.cells.values().filter(|cell| wanted.contains(&cell.state)).count());
    let proven = count(&[State::Proven, State::ProvenAgeing]);
    let claimed = count(&[State::Claimed, State::Inherited, State::Partial]);
    let standing = model.standing(client);
    let text = if standing.step > 0 {
        match newest_broker(row) {
            Some(broker) => format!("{} on {broker}", standing.word),
            None => standing.word.to_owned(),
        }
    } else if proven > 0 {
        format!("proven {proven} of {total}")
    } else if claimed > 0 {
        "claims only".to_owned()
    } else {
        "no proof yet".to_owned()
    };
    let width = |text: &str| text.chars().count() * CHARACTER / 10 + PADDING;
    let label = model.catalogue.settings.title.as_str();
    Badge { label, proven: proven > 0, label_width: width(label), text_width: width(&text), text }
}

/// The newest broker that the newest version of the client was run on.
fn newest_broker<'m>(row: Option<&'m Row<'m>>) -> Option<Version> {
    let reports = &row?.reports;
    let version = &reports.first()?.report.client.version;
    let brokers = reports.iter().filter(|filed| filed.report.client.version == *version);
    brokers.filter_map(|filed| Version::from_text(&filed.report.broker.version).ok()).max()
}
