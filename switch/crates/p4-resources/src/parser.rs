//! The parser: its states, its headers, and its longest path.

use crate::place;
use p4_ir::Program;
use p4_ir::ops::{ExtractTarget, Op};
use p4_ir::parser::{Target, Transition};
use p4_ir::storage::HeaderId;
use serde::Serialize;
use std::collections::HashMap;

/// The parser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parser {
    /// Number of states as the switch has them: a decision within a state of the source ends one and begins others.
    pub states: usize,
    /// The headers that it can fill or that the program can make valid: elements of stacks and members of unions each.
    pub headers: Vec<Header>,
    /// Bits of all of them together.
    pub header_bits: u64,
    /// The states of the path with most of them.
    pub longest_path: Vec<State>,
    /// Bits that are extracted on that path.
    pub longest_path_bits: u64,
    /// Most bits that are extracted on any path.
    pub most_bits: u64,
    /// False if states can follow each other again and again without filling a stack, or in too many ways to follow them
    /// all: then the path and the bits are those of no more than one turn.
    pub is_bounded: bool,
    /// Its declaration, `file:line`.
    pub source: String,
}

/// A header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its type's name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its (greatest) size in bits.
    pub bits: u64,
    /// The declaration of its type, `file:line`.
    pub source: String,
}

/// A state on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Its declaration, `file:line`.
    pub source: String,
}

/// More combinations of states and fills of stacks than this are not followed.
const MAX_VISITS: usize = 100_000;

/// The parser of a program.
pub fn parser(program: &Program) -> Parser {
    let headers = headers(program);
    let mut search = Search { program, known: HashMap::new(), is_bounded: true };
    let longest = if program.parser.states.is_empty() { Path::default() } else { search.from(0, &[]) };
    let state = |index: &usize| {
        let state = &program.parser.states[*index];
        State { name: state.name.clone(), source: place(&state.source) }
    };
    Parser {
        states: program.parser.states.iter().filter(|state| state.source.is_some()).count(),
        header_bits: headers.iter().map(|header| header.bits).sum(),
        headers,
        longest_path: search.states(&longest).iter().map(state).collect(),
        longest_path_bits: longest.bits,
        most_bits: longest.most_bits,
        is_bounded: search.is_bounded,
        source: place(&program.parser.source),
    }
}

fn headers(program: &Program) -> Vec<Header> {
    let storage = &program.storage;
    let on_the_wire = (0..storage.headers.len()).map(HeaderId::from_index).filter(|id| {
        // Variables of a header type are no part of a packet: the headers of a packet are those of the parser's result.
        !storage.headers[id.index()].metadata && program.deparser.contains(id) || is_extracted(program, *id)
    });
    let header = |id: HeaderId| {
        let layout = storage.type_of(id);
        Header {
            name: storage.headers[id.index()].name.clone(),
            type_name: layout.name.clone(),
            bits: bits(program, id),
            source: place(&layout.source),
        }
    };
    on_the_wire.map(header).collect()
}

fn is_extracted(program: &Program, id: HeaderId) -> bool {
    let targets = program.parser.states.iter().flat_map(|state| &state.ops).filter_map(|stmt| match &stmt.op {
        Op::Extract { target, .. } => Some(*target),
        _ => None,
    });
    let storage = &program.storage;
    targets.into_iter().any(|target| match target {
        ExtractTarget::Header(header) => header == id,
        ExtractTarget::StackNext(stack) => storage.stacks[stack.index()].elements.contains(&id),
        ExtractTarget::UnionStackNext(stack, member) => {
            let unions = &storage.union_stacks[stack.index()].elements;
            unions.iter().any(|union| storage.unions[union.index()].members.get(member as usize) == Some(&id))
        }
    })
}

fn bits(program: &Program, id: HeaderId) -> u64 {
    program.storage.type_of(id).fields.iter().map(|field| u64::from(field.width.max_bits())).sum()
}

/// How many elements of each stack are filled; stacks are numbered headers first.
type Fills = Vec<(usize, usize)>;

/// A state, and the fills that it is entered with.
type Visit = (usize, Fills);

/// The best of the paths that begin at a state.
#[derive(Clone, Debug, Default)]
struct Path {
    /// Number of states of the source.
    length: usize,
    /// Bits extracted on the way with most states.
    bits: u64,
    /// Most bits extracted on any way.
    most_bits: u64,
    /// The state, and its successor on the path.
    step: Option<(Visit, Option<Visit>)>,
}

struct Search<'p> {
    program: &'p Program,
    /// None while a state is being looked at.
    known: HashMap<Visit, Option<Path>>,
    is_bounded: bool,
}

impl Search<'_> {
    /// The longest path from a state on.
    fn from(&mut self, state: usize, fills: &[(usize, usize)]) -> Path {
        let key = (state, fills.to_vec());
        match self.known.get(&key) {
            Some(Some(path)) => return path.clone(),
            Some(None) => {
                self.is_bounded = false;
                return Path::default();
            }
            None => {}
        }
        if self.known.len() >= MAX_VISITS {
            self.is_bounded = false;
            return Path::default();
        }
        self.known.insert(key.clone(), None);
        let path = self.follow(&key);
        self.known.insert(key, Some(path.clone()));
        path
    }

    fn follow(&mut self, key: &Visit) -> Path {
        let declared = &self.program.parser.states[key.0];
        let mut fills = key.1.clone();
        let mut here = 0;
        for stmt in &declared.ops {
            let Op::Extract { target, .. } = &stmt.op else { continue };
            match self.extract(*target, &mut fills) {
                Some(bits) => here += bits,
                // The stack is full: parsing ends with an error.
                None => return Path::default(),
            }
        }
        let targets: Vec<Target> = match &declared.transition {
            Transition::Direct(target) => vec![*target],
            Transition::Select { cases, .. } => cases.iter().map(|case| case.target).collect(),
        };
        let mut best = Path::default();
        let mut next = None;
        let mut most_bits = 0;
        let mut seen = std::collections::HashSet::new();
        for target in targets {
            let Target::State(id) = target else { continue };
            if !seen.insert(id) {
                continue;
            }
            let path = self.from(id.index(), &fills);
            most_bits = most_bits.max(path.most_bits);
            if (path.length, path.bits) > (best.length, best.bits) {
                next = Some((id.index(), fills.clone()));
                best = path;
            }
        }
        Path {
            length: best.length + usize::from(declared.source.is_some()),
            bits: best.bits + here,
            most_bits: most_bits + here,
            step: Some((key.clone(), next)),
        }
    }

    /// Bits of the header that is extracted; none if its stack is full.
    fn extract(&self, target: ExtractTarget, fills: &mut Fills) -> Option<u64> {
        let storage = &self.program.storage;
        let (stack, size) = match target {
            ExtractTarget::Header(header) => return Some(bits(self.program, header)),
            ExtractTarget::StackNext(stack) => (stack.index(), storage.stacks[stack.index()].elements.len()),
            ExtractTarget::UnionStackNext(stack, _) => {
                (storage.stacks.len() + stack.index(), storage.union_stacks[stack.index()].elements.len())
            }
        };
        let position = fills.iter().position(|(known, _)| *known == stack).unwrap_or_else(|| {
            fills.push((stack, 0));
            fills.sort_unstable();
            fills.iter().position(|(known, _)| *known == stack).unwrap_or_default()
        });
        let filled = fills[position].1;
        if filled >= size {
            return None;
        }
        fills[position].1 += 1;
        let header = match target {
            ExtractTarget::Header(header) => header,
            ExtractTarget::StackNext(stack) => storage.stacks[stack.index()].elements[filled],
            ExtractTarget::UnionStackNext(stack, member) => {
                let union = storage.union_stacks[stack.index()].elements[filled];
                storage.unions[union.index()].members[member as usize]
            }
        };
        Some(bits(self.program, header))
    }

    /// The states of the source on a path.
    fn states(&self, path: &Path) -> Vec<usize> {
        let mut states = Vec::new();
        let mut step = path.step.clone();
        while let Some(((state, _), next)) = step {
            if self.program.parser.states[state].source.is_some() {
                states.push(state);
            }
            step = next.and_then(|key| self.known.get(&key).cloned().flatten()).and_then(|path| path.step);
        }
        states
    }
}
