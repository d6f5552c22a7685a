//! `@p4runtime_translation`: user-defined types whose values look different to the controller.
//!
//! Numbers keep their value (only the width differs). Strings are looked up in the type's
//! `@p4runtime_translation_mappings` annotation. A string that is not there stands for itself if it is a decimal
//! number. Any other gets the highest number not taken yet, for as long as the pipeline stays. A request that is
//! refused, or that only reads, takes no number: the numbers that it uses are noted, and given back
//! ([`Translations::settle`]).

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use p4runtime_proto::config::{P4Info, P4NewTypeSpec, p4_new_type_spec, p4_new_type_translation};

use crate::bytestring::{from_u64, read_unsigned, shortest_of, to_u64};
use crate::failure::{Failure, Outcome};

/// The translated types of a program.
#[derive(Debug, Default)]
pub struct Translations {
    types: HashMap<String, Type>,
    /// The strings used since it was begun; `None`: they are not noted.
    used: Mutex<Option<Vec<Used>>>,
}

/// A string that was translated.
#[derive(Debug)]
pub struct Used {
    type_name: String,
    text: String,
    /// Whether it got its number then.
    is_new: bool,
}

#[derive(Debug)]
enum Type {
    Number { width: u32 },
    Text(Mutex<Names>),
}

#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<String, u64>,
    names: HashMap<u64, String>,
    next: u64,
}

/// Strings get numbers from here down, the highest of a port; the fields they are used in have widths of their own to check.
const HIGHEST: u64 = 511;

impl Translations {
    /// The translated types of a P4Info.
    pub fn new(p4info: &P4Info) -> Self {
        let types = p4info.type_info.iter().flat_map(|info| &info.new_types);
        let types = types.filter_map(|(name, spec)| Some((name.clone(), Type::new(spec)?))).collect();
        Translations { types, ..Self::default() }
    }

    /// Is this type translated?
    pub fn translates(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The data plane's value.
    ///
    /// # Errors
    /// OUT_OF_RANGE for a number that does not fit the controller's type, INVALID_ARGUMENT for a string that is not text,
    /// RESOURCE_EXHAUSTED when all numbers are taken.
    pub fn to_data_plane(&self, name: &str, value: &Bytes) -> Outcome<Bytes> {
        match self.types.get(name) {
            None => Ok(value.clone()),
            Some(Type::Number { width }) => read_unsigned(value, *width),
            Some(Type::Text(names)) => {
                let text = std::str::from_utf8(value)
                    .map_err(|_| Failure::invalid(format!("a value of type {name} must be UTF-8 text")))?;
                let mut names = locked(names);
                let is_new = !names.numbers.contains_key(text);
                let number = names.number(text)?;
                if let Some(used) = locked(&self.used).as_mut() {
                    used.push(Used { type_name: name.to_owned(), text: text.to_owned(), is_new });
                }
                Ok(from_u64(number))
            }
        }
    }

    /// Decodes something and notes which strings it uses.
    pub fn noting<R>(&self, decode: impl FnOnce() -> R) -> (R, Vec<Used>) {
        *locked(&self.used) = Some(Vec::new());
        let result = decode();
        (result, locked(&self.used).take().unwrap_or_default())
    }

    /// Gives back the numbers of strings that only requests without effect have used; `requests` are what each has used and
    /// whether it had one.
    pub fn settle<'a>(&self, requests: impl Iterator<Item = (bool, &'a [Used])> + Clone) {
        let kept: HashSet<(&str, &str)> = requests
            .clone()
            .filter(|(had_effect, _)| *had_effect)
            .flat_map(|(_, used)| used)
            .map(|used| (used.type_name.as_str(), used.text.as_str()))
            .collect();
        for used in requests.flat_map(|(_, used)| used).filter(|used| used.is_new) {
            if let Some(Type::Text(names)) = self.types.get(&used.type_name)
                && !kept.contains(&(used.type_name.as_str(), used.text.as_str()))
            {
                locked(names).forget(&used.text);
            }
        }
    }

    /// The controller's value.
    pub fn to_controller(&self, name: &str, value: &Bytes) -> Bytes {
        match self.types.get(name) {
            None | Some(Type::Number { .. }) => shortest_of(value),
            Some(Type::Text(names)) => {
                let number = to_u64(value).unwrap_or_default();
                let names = locked(names);
                Bytes::from(names.names.get(&number).cloned().unwrap_or_else(|| number.to_string()))
            }
        }
    }
}

impl Type {
    fn new(spec: &P4NewTypeSpec) -> Option<Self> {
        let Some(p4_new_type_spec::Representation::TranslatedType(translation)) = &spec.representation else {
            return None;
        };
        match &translation.sdn_type {
            Some(p4_new_type_translation::SdnType::SdnBitwidth(width)) => {
                Some(Type::Number { width: u32::try_from(*width).ok()? })
            }
            Some(p4_new_type_translation::SdnType::SdnString(_)) => {
                Some(Type::Text(Mutex::new(Names::from_annotations(&spec.annotations))))
            }
            None => None,
        }
    }
}

impl Names {
    fn from_annotations(annotations: &[String]) -> Self {
        let mut names = Names { next: HIGHEST, ..Names::default() };
        let mappings = annotations.iter().filter(|a| a.starts_with("@p4runtime_translation_mappings"));
        for pair in mappings.flat_map(|annotation| annotation.split('{').skip(2)) {
            let mut parts = pair.split('}').next().unwrap_or_default().splitn(2, ',');
            let text = parts.next().unwrap_or_default().trim().trim_matches('"');
            if let Some(Ok(number)) = parts.next().map(|number| number.trim().parse()) {
                names.bind(text, number);
            }
        }
        names
    }

    fn bind(&mut self, text: &str, number: u64) {
        self.numbers.insert(text.to_owned(), number);
        self.names.insert(number, text.to_owned());
    }

    fn forget(&mut self, text: &str) {
        if let Some(number) = self.numbers.remove(text) {
            self.names.remove(&number);
            self.next = self.next.max(number.min(HIGHEST));
        }
    }

    fn number(&mut self, text: &str) -> Outcome<u64> {
        if let Some(&number) = self.numbers.get(text) {
            return Ok(number);
        }
        let free = |names: &Self, number: u64| !names.names.contains_key(&number);
        let number = match text.parse() {
            Ok(number) if free(self, number) => number,
            Ok(number) => return Err(Failure::invalid(format!("{number} stands for another string already"))),
            Err(_) => {
                while self.next > 0 && !free(self, self.next) {
                    self.next -= 1;
                }
                if self.next == 0 {
                    return Err(Failure::exhausted(format!("no number is left to translate \"{text}\" to")));
                }
                self.next
            }
        };
        self.bind(text, number);
        Ok(number)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "translation_tests.rs"]
mod tests;
