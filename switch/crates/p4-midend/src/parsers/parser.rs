//! Parsers.

use crate::calls::effects::later_effects;
use crate::code::structured::{Code, MachineState, MachineTransition, StateMachine};
use crate::expressions::key_set::{KnownSet, ones, range_masks};
use crate::lowerer::Lowerer;
use crate::parsers::graph::build;
use crate::storage::place::Value;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use p4_ir::expr::{Expr, ExprKind, Ty};
use p4_ir::ops::Op;
use p4_ir::parser::{Matcher, ValueSet, ValueSetId};
use p4_syntax::Kind;
use p4_types::typed::{self, Callee, KeySet, NextState, ParserId, SelectCase, Transition};

/// More cases than this from one source case are refused (ranges of several keys multiply).
const MAX_CASES: usize = 1 << 16;

impl Lowerer<'_> {
    /// The parser of the program; its parameters are bound already.
    pub fn lower_main_parser(&mut self, context: usize, parser: ParserId) {
        let (code, ()) = self.capture(|this| this.inline_parser(context, parser));
        if self.messages.has_errors() {
            return;
        }
        let mut built = build(&mut self.storage.program, &code);
        built.source = self.source(self.typed[parser].span);
        self.ir.parser = built;
    }

    /// Inlines a parser at the current place; its parameters are bound already.
    pub fn inline_parser(&mut self, context: usize, parser: ParserId) {
        let typed = self.typed;
        let declared = &typed[parser];
        let outer = self.enter(context);
        // The states of the outermost parser keep their names, and its variables need no reset:
        // all headers are invalid when a packet comes in.
        let outermost = context == self.main_parser_context();
        let prefix = match outermost {
            true => String::new(),
            false => self.contexts[context].prefix.replace('.', "_"),
        };
        let (init, ()) = self.capture(|this| this.locals(&declared.locals));
        let is_reset = |piece: &Code| matches!(piece, Code::Op(s) if matches!(s.op, Op::SetInvalid(_)));
        self.emitter.extend(init.into_iter().filter(|piece| !(outermost && is_reset(piece))));
        let mut states = vec![];
        let no_match = NextState::State(declared.states.len());
        for state in &declared.states {
            let (code, transition) = self.capture(|this| {
                this.statements(&state.body);
                this.statement_scope(state.span, |this| this.transition(&state.transition, no_match))
            });
            let source = self.source(state.span);
            states.push(MachineState { name: format!("{prefix}{}", state.name), code, transition, source });
        }
        let to_no_match = |(_, next): &(Matcher, NextState)| *next == no_match;
        let is_needed = |state: &MachineState| match &state.transition {
            MachineTransition::Select { cases, .. } => cases.iter().any(to_no_match),
            MachineTransition::Direct(_) => false,
        };
        if states.iter().any(is_needed) {
            states.push(self.no_match_state(&prefix));
        }
        self.enter(outer);
        self.emitter.push(Code::Parse(Box::new(StateMachine { states, start: declared.start })));
    }

    /// The first context that was made is that of the package's parser.
    fn main_parser_context(&self) -> usize {
        1
    }

    /// Where a `select` goes that has no case for a value: BMv2 itself knows no such error.
    fn no_match_state(&mut self, prefix: &str) -> MachineState {
        let number = self.typed.errors.iter().position(|error| &*error.name == "NoMatch").unwrap_or_default();
        let error = Expr::constant(BigInt::from(number), Ty::bit(32));
        let (code, ()) = self.capture(|this| this.emit(Op::Verify(Expr::bool(false), error)));
        MachineState {
            name: format!("{prefix}noMatch"),
            code,
            transition: MachineTransition::Direct(NextState::Reject),
            source: None,
        }
    }

    fn transition(&mut self, transition: &Transition, no_match: NextState) -> MachineTransition {
        match transition {
            Transition::Direct(next) => MachineTransition::Direct(*next),
            Transition::Select { keys, cases, .. } => {
                let keys = self.select_keys(keys);
                let widths: Vec<u32> = keys.iter().map(|key| key.ty.width()).collect();
                let mut lowered = vec![];
                for case in cases {
                    for matcher in self.matchers(case, &widths) {
                        lowered.push((matcher, case.next));
                    }
                }
                let takes_all = |set: &KeySet| matches!(set, KeySet::Any);
                if !cases.iter().any(|case| case.sets.iter().all(takes_all)) {
                    lowered.push((Matcher::Any, no_match));
                }
                MachineTransition::Select { keys, cases: lowered }
            }
        }
    }

    /// The simple values of all keys, evaluated from left to right.
    fn select_keys(&mut self, keys: &[typed::Expr]) -> Vec<Expr> {
        let later = later_effects(keys.iter().map(|key| key.has_effects() && self.plain_lookahead(key).is_none()));
        let mut values = vec![];
        for (key, may_change) in keys.iter().zip(later) {
            values.extend(self.select_key(key, may_change));
        }
        values
    }

    /// The simple values of a key, in a form that BMv2 can select by; copies where a later key may change them.
    fn select_key(&mut self, key: &typed::Expr, may_change: bool) -> Vec<Expr> {
        if let Some(lookahead) = self.plain_lookahead(key) {
            return vec![lookahead];
        }
        let value = self.value(key);
        let mut scalars = vec![];
        flatten(&value, &mut scalars);
        if scalars.is_empty() {
            self.error_of(Kind::Unsupported, key.span, "BMv2 cannot select by a value of this type");
        }
        scalars
            .into_iter()
            .map(|scalar| match scalar.kind {
                ExprKind::Field(_) | ExprKind::StackLast(..) | ExprKind::UnionStackLast(..) if !may_change => scalar,
                _ => {
                    let ty = scalar.ty;
                    let variable = self.storage.temporary(ty);
                    self.emit(Op::Assign(variable, scalar));
                    Expr::field(variable, ty)
                }
            })
            .collect()
    }

    /// `packet.lookahead<bit<W>>()` itself.
    fn plain_lookahead(&mut self, key: &typed::Expr) -> Option<Expr> {
        let typed::ExprKind::Call(call) = &key.kind else {
            return None;
        };
        let Callee::Method { object, method } = &call.callee else {
            return None;
        };
        let ty = self.storage.scalar_type(&key.ty).filter(|ty| !ty.is_signed() && *ty != Ty::Bool)?;
        (&*self.method_name(*object, *method) == "lookahead")
            .then_some(Expr { kind: ExprKind::Lookahead { offset: 0 }, ty })
    }

    /// The matchers of a case; ranges become several masks.
    fn matchers(&mut self, case: &SelectCase, widths: &[u32]) -> Vec<Matcher> {
        match &case.sets[..] {
            [KeySet::Any] => return vec![Matcher::Any],
            [KeySet::ValueSet(id)] => {
                let set = self.value_set(*id);
                return vec![Matcher::ValueSet(set)];
            }
            _ => {}
        }
        if case.sets.iter().any(|set| matches!(set, KeySet::ValueSet(_))) {
            self.error(case.span, "on BMv2 a value set must stand for all keys together");
            return vec![];
        }
        let mut combined: Vec<Vec<(BigInt, BigInt)>> = vec![vec![]];
        for (set, width) in case.sets.iter().zip(widths) {
            let parts = match self.known_set(set, *width) {
                KnownSet::Any => vec![(BigInt::zero(), BigInt::zero())],
                KnownSet::Value(value) => vec![(value, ones(*width))],
                KnownSet::Mask(value, mask) => vec![(value & &mask, mask)],
                KnownSet::Range(low, high) => range_masks(&low, &high, *width),
            };
            if combined.len().saturating_mul(parts.len()) > MAX_CASES {
                self.error_of(Kind::Overlimit, case.span, "these ranges need too many masks");
                return vec![];
            }
            combined = combined
                .into_iter()
                .flat_map(|prefix| {
                    parts.iter().map(move |part| {
                        let mut longer = prefix.clone();
                        longer.push(part.clone());
                        longer
                    })
                })
                .collect();
        }
        combined.into_iter().map(Matcher::Masked).collect()
    }

    /// A value set of the current context (or of the top level).
    pub fn value_set(&mut self, id: typed::ValueSetId) -> ValueSetId {
        if let Some(known) = self.value_sets.get(self.enclosing.context, id) {
            return known;
        }
        let declared = &self.typed[id];
        let prefix = &self.contexts[self.enclosing.context].prefix;
        let name = crate::blocks::instance::qualified(prefix, &declared.annotations, &declared.name);
        let bits = self.typed.width(&declared.element).unwrap_or(0) as u32;
        let size = self.known_bits(&declared.size, 32).to_u64().unwrap_or(0);
        self.ir.value_sets.push(ValueSet { name, bits, size });
        let result = ValueSetId::from_index(self.ir.value_sets.len() - 1);
        self.value_sets.insert(self.enclosing.context, id, result, size);
        result
    }
}

/// The simple values within a value, in order.
pub fn flatten(value: &Value, out: &mut Vec<Expr>) {
    match value {
        Value::Scalar(expr) => out.push(expr.clone()),
        Value::Struct(parts) | Value::Header(parts) => {
            for part in parts.iter() {
                flatten(part, out);
            }
        }
        _ => {}
    }
}
