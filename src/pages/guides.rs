//! Guides, levels, and the pages for what has moved or is not there.

use super::frame::{Frame, Link, Markup};
use super::language::is_there;
use super::{Model, NAMED_MAX};
use crate::catalogue::{Client, ClientId, Level};
use crate::guide::Guide;
use crate::matrix::State;
use serde::Serialize;

/// `guide.html`.
#[derive(Debug, Serialize)]
pub struct GuidePage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Its text.
    pub body: Markup<'m>,
    /// Its headings of the second level, for the table of contents.
    pub contents: Vec<Link<'m>>,
    /// Guides directly below this one.
    pub below: Vec<Below<'m>>,
}

/// A guide below another.
#[derive(Debug, Serialize)]
pub struct Below<'m> {
    /// Its title and address.
    pub link: Link<'m>,
    /// One sentence.
    pub description: &'m str,
}

/// `levels.html`.
#[derive(Debug, Serialize)]
pub struct LevelsPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// In their order.
    pub levels: Vec<LevelTold<'m>>,
    /// Whether the kit ran anything yet.
    pub has_results: bool,
}

/// A level, and who is there.
#[derive(Debug, Serialize)]
pub struct LevelTold<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// Its place, from 1.
    pub step: usize,
    /// One line.
    pub summary: &'m str,
    /// What it takes beside the levels before.
    pub features: Vec<Link<'m>>,
    /// Clients that reached it.
    pub reached: Vec<Link<'m>>,
    /// How many did.
    pub reached_count: usize,
    /// Living clients that claim (or inherit, or were seen to do) all of it and of all before.
    pub claimed: Vec<Link<'m>>,
    /// How many do.
    pub claimed_count: usize,
}

/// `alias.html`: a page that sends readers on, without a script.
#[derive(Debug, Serialize)]
pub struct AliasPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Where to.
    pub target: Link<'m>,
}

/// `404.html`.
#[derive(Debug, Serialize)]
pub struct NotFoundPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
}

pub(super) fn view<'m>(model: &Model<'m>, guide: &'m Guide) -> GuidePage<'m> {
    // Every guide whose folder this one stands in is above it.
    let mut parents: Vec<&'m Guide> = model
        .guides
        .iter()
        .filter(|other| other.address != guide.address && other.address != "/" && guide.address.starts_with(&other.address))
        .collect();
    parents.sort_by_key(|parent| parent.address.len());
    let parents = parents
        .into_iter()
        .map(|parent| Link::new(parent.menu_title.as_deref().unwrap_or(&parent.title), parent.address.clone()))
        .collect();
    let mut below: Vec<&'m Guide> = model
        .guides
        .iter()
        .filter(|other| {
            other
                .address
                .strip_prefix(guide.address.as_str())
                .is_some_and(|rest| rest.trim_end_matches('/').split('/').count() == 1 && !rest.is_empty())
        })
        .collect();
    below.sort_by(|a, b| a.order.cmp(&b.order).then_with(|| a.address.cmp(&b.address)));
    GuidePage {
        page: Frame::new(guide.address.clone(), guide.title.as_str(), guide.description.as_str())
            .from_file(model, &guide.path)
            .below(parents),
        body: Markup::new(&guide.prose.html),
        contents: guide
            .prose
            .headings
            .iter()
            .filter(|heading| heading.level == 2)
            .map(|heading| Link::new(heading.text.as_str(), format!("#{}", heading.id)))
            .collect(),
        below: below
            .into_iter()
            .map(|guide| Below {
                link: Link::new(guide.menu_title.as_deref().unwrap_or(&guide.title), guide.address.clone()),
                description: &guide.description,
            })
            .collect(),
    }
}

pub(super) fn levels<'m>(model: &Model<'m>) -> LevelsPage<'m> {
    let levels = &model.catalogue.levels;
    let told = levels.iter().enumerate().map(|(at, level)| level_told(model, &levels[..=at], level, at + 1)).collect();
    let page =
        Frame::new("/levels/", "Levels", "Named sets of features that build on each other, computed from what the kit saw.")
            .with_twin()
            .below(Vec::new());
    LevelsPage { page, levels: told, has_results: model.has_results() }
}

fn level_told<'m>(model: &Model<'m>, up_to: &'m [Level], level: &'m Level, step: usize) -> LevelTold<'m> {
    let catalogue = model.catalogue;
    let place = |id: &crate::catalogue::LevelId| catalogue.levels.iter().position(|level| level.id == *id);
    let (mut reached, mut claimed) = (Vec::new(), Vec::new());
    for client in model.by_name.iter().copied() {
        let Some(row) = model.row(client) else { continue };
        if row.level.and_then(place).is_some_and(|at| at + 1 >= step) {
            reached.push(client);
        }
        let all_there = up_to
            .iter()
            .flat_map(|level| &level.features)
            .all(|id| is_there(row.cells.get(id).map_or(State::Unknown, |cell| cell.state)));
        if all_there && client.status.value.is_living() {
            claimed.push(client);
        }
    }
    let links = |clients: &[&'m Client]| clients.iter().copied().take(NAMED_MAX).map(Link::client).collect();
    LevelTold {
        id: level.id.as_str(),
        title: &level.title,
        step,
        summary: &level.summary,
        features: level
            .features
            .iter()
            .filter_map(|id| catalogue.features.get(id))
            .map(|feature| Link::new(feature.title.as_str(), format!("/features/{}/", feature.id)))
            .collect(),
        reached: links(&reached),
        reached_count: reached.len(),
        claimed: links(&claimed),
        claimed_count: claimed.len(),
    }
}

pub(super) fn alias<'m>(alias: &'m ClientId, client: &'m Client) -> AliasPage<'m> {
    let mut page = Frame::new(format!("/clients/{alias}/"), client.name.as_str(), client.summary.as_str())
        .below(vec![Link::new("Clients", "/clients/")]);
    page.hidden = true;
    AliasPage { page, target: Link::client(client) }
}

pub(super) fn not_found<'m>() -> NotFoundPage<'m> {
    let mut page = Frame::new("/404.html", "Nothing stands here", "There is no page at this address.");
    page.hidden = true;
    NotFoundPage { page }
}
