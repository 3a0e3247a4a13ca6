//! Plans and tallies as bytes, to be sent to wherever rows are and back.
//!
//! A header that says what it is and of which format, and then the fields, by the crate `postcard`; maps
//! are the JSON text of any saved model.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cells::{Cells, Counted, Weighed};
use super::maps::{Maps, ScopeMaps};
use super::plan::{Facts, GroupFacts, Plan};
use super::sums::MetricSums;
use super::tally::{Counts, GroupTally, Tally, Whole};
use crate::error::{Error, Result};
use crate::loss::{Metric, Scope};
use crate::recalibrate::{ModelNotes, load_model, save_model};

/// What the bytes of a plan, and of a tally, begin with; the last letter is the number of the format.
const PLAN: &[u8] = b"calipers plan 1\n";
const TALLY: &[u8] = b"calipers tally 1\n";

/// A plan on its way.
#[derive(Serialize, Deserialize)]
struct SavedPlan {
    facts: Facts,
    metrics: Vec<String>,
    recalibrator: String,
    maps: Option<Vec<SavedScope>>,
    own_maps: Vec<Option<Vec<SavedScope>>>,
}

/// A scope, and the text of each of its maps.
type SavedScope = (Scope, Vec<Option<String>>);

/// A tally on its way.
#[derive(Serialize, Deserialize)]
struct SavedTally {
    counts: Counts,
    whole: SavedWhole,
    groups: Vec<(String, GroupTally)>,
}

#[derive(Serialize, Deserialize)]
enum SavedWhole {
    Counted(Vec<(u32, Counted)>),
    Weighed(Vec<(u32, Weighed)>),
    Summed(Vec<MetricSums>),
}

impl Plan {
    /// The plan as bytes.
    ///
    /// # Errors
    /// A recalibrator or a distance from outside this crate, which cannot be written down.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        for metric in &self.metrics {
            if metric.to_string().parse::<Metric>().is_err() {
                let reason = format!("the distance {metric} cannot be written down");
                return Err(Error::Tally { reason });
            }
        }
        let mut facts = self.facts.clone();
        facts.report.estimates.iter_mut().for_each(|one| one.scores = Vec::new());
        let saved = SavedPlan {
            facts,
            metrics: self.metrics.iter().map(ToString::to_string).collect(),
            recalibrator: self.facts.report.recalibrator.clone(),
            maps: self.maps.as_ref().map(texts).transpose()?,
            own_maps: self
                .own_maps
                .iter()
                .map(|own| own.as_ref().map(texts).transpose())
                .collect::<Result<_>>()?,
        };
        written(PLAN, &saved)
    }

    /// The plan that bytes are of; it scores rows to the same bits as the one that was written.
    ///
    /// # Errors
    /// Bytes that are no plan, or one of a format that this version does not know.
    ///
    /// ```
    /// use calipers::{Error, Plan};
    ///
    /// assert!(matches!(Plan::from_bytes(b"a plan"), Err(Error::Tally { .. })));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let saved: SavedPlan = read(PLAN, bytes, "plan")?;
        let SavedPlan { facts, metrics, recalibrator, maps, own_maps } = saved;
        let metrics: Vec<Metric> =
            metrics.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        let count = facts.groups.as_ref().map_or(0, Vec::len);
        let own = facts.groups.iter().flatten().zip(&own_maps);
        let fits = |(group, maps): (&GroupFacts, &Option<_>)| match &group.own {
            None => maps.is_none(),
            Some(own) => {
                let counts = [own.estimates.len(), own.units.len()];
                maps.is_some() && counts == [metrics.len(); 2]
            }
        };
        let confidence = facts.report.confidence;
        let whole = (confidence > 0.0 && confidence < 1.0)
            && facts.report.estimates.len() == metrics.len()
            && facts.units.len() == metrics.len()
            && own_maps.len() == count
            && facts.sample.classes.len() == facts.report.classes.len()
            && facts.sample.constant.as_ref().is_none_or(|f| f.len() == facts.report.classes.len())
            && maps.is_some() == facts.sample.end.is_some()
            && own.into_iter().all(fits);
        if !whole {
            return Err(damaged("plan"));
        }
        let load = |scopes: Vec<SavedScope>| maps_of(&recalibrator, scopes);
        Ok(Self {
            maps: maps.map(load).transpose()?,
            own_maps: own_maps
                .into_iter()
                .map(|own| own.map(load).transpose())
                .collect::<Result<_>>()?,
            metrics,
            facts,
        })
    }
}

impl Tally {
    /// The tally as bytes: a few hundred kilobytes for two classes, a few hundred bytes for more.
    ///
    /// # Errors
    /// None that is known of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let whole = match &self.whole {
            Whole::Counted(cells) => SavedWhole::Counted(cells.listed()),
            Whole::Weighed(cells) => SavedWhole::Weighed(cells.listed()),
            Whole::Summed(sums) => SavedWhole::Summed(sums.clone()),
        };
        let groups = self.groups.iter().map(|(name, group)| (name.clone(), group.clone()));
        let (counts, groups) = (self.counts.clone(), groups.collect());
        written(TALLY, &SavedTally { counts, whole, groups })
    }

    /// The tally that bytes are of.
    ///
    /// # Errors
    /// Bytes that are no tally, or one of a format that this version does not know.
    ///
    /// ```
    /// assert!(calipers::Tally::from_bytes(b"").is_err());
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SavedTally { counts, whole, groups } = read(TALLY, bytes, "tally")?;
        let whole = match whole {
            SavedWhole::Counted(list) => Cells::from_list(list).map(Whole::Counted),
            SavedWhole::Weighed(list) => Cells::from_list(list).map(Whole::Weighed),
            SavedWhole::Summed(sums) => Some(Whole::Summed(sums)),
        };
        let whole = whole.ok_or_else(|| damaged("tally"))?;
        Ok(Self { counts, whole, groups: groups.into_iter().collect() })
    }

    /// Whether something was too large to be added up.
    pub(super) fn is_full(&self) -> bool {
        let sums = if let Whole::Summed(sums) = &self.whole { sums.as_slice() } else { &[] };
        let groups = self.groups.values().flat_map(|group| &group.sums);
        sums.iter().chain(groups).any(MetricSums::is_full)
    }
}

fn texts(maps: &Maps) -> Result<Vec<SavedScope>> {
    let one = |map: &Option<Arc<dyn crate::Fitted>>| {
        map.as_ref().map(|map| save_model(map.as_ref(), &ModelNotes::default())).transpose()
    };
    let scopes = maps.scopes().iter();
    scopes.map(|own| Ok((own.scope, own.maps.iter().map(one).collect::<Result<_>>()?))).collect()
}

fn maps_of(recalibrator: &str, scopes: Vec<SavedScope>) -> Result<Maps> {
    let one = |text: Option<String>| -> Result<Option<Arc<dyn crate::Fitted>>> {
        text.map(|text| Ok(Arc::from(load_model(&text)?.fitted))).transpose()
    };
    let scopes = scopes.into_iter().map(|(scope, texts)| {
        Ok(ScopeMaps { scope, maps: texts.into_iter().map(one).collect::<Result<_>>()? })
    });
    Ok(Maps::new(recalibrator.to_owned(), scopes.collect::<Result<_>>()?))
}

fn written(header: &[u8], saved: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_extend(saved, header.to_vec())
        .map_err(|error| Error::Tally { reason: format!("cannot be written: {error}") })
}

fn read<T: DeserializeOwned>(header: &[u8], bytes: &[u8], what: &str) -> Result<T> {
    let Some(fields) = bytes.strip_prefix(header) else {
        let reason = format!("this is no {what}, or one of another version of calipers");
        return Err(Error::Tally { reason });
    };
    postcard::from_bytes(fields).map_err(|_| damaged(what))
}

fn damaged(what: &str) -> Error {
    Error::Tally { reason: format!("the {what} is damaged") }
}
