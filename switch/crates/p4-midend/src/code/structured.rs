//! Structured code: the result of lowering a statement list, before it becomes a graph.
//!
//! `return`, `break` and `continue` are all [`Code::Leave`]: go on after the block of that label.

use p4_ir::Source;
use p4_ir::control::TableId;
use p4_ir::expr::Expr;
use p4_ir::ops::{Label, Op, Stmt};
use p4_ir::parser::Matcher;
use p4_types::typed::NextState;
use std::collections::HashMap;

/// Names a block that can be left.
pub type BlockLabel = u32;

/// A piece of code.
#[derive(Clone, Debug)]
pub enum Code {
    /// One operation.
    Op(Stmt),
    /// A decision.
    If {
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: Vec<Code>,
        /// If not.
        otherwise: Vec<Code>,
        /// The condition's place.
        source: Source,
    },
    /// Code that can be left.
    Block(BlockLabel, Vec<Code>),
    /// Code that is repeated until it is left.
    Loop(BlockLabel, Vec<Code>),
    /// Continue after the block of that label.
    Leave(BlockLabel),
    /// End the pipeline.
    Exit(Source),
    /// A state machine of a parser; the code after it runs at `accept`.
    Parse(Box<StateMachine>),
    /// Apply a table.
    Apply {
        /// Which.
        table: TableId,
        /// The code that depends on the result.
        then: AfterTable,
    },
}

/// A parser that has been lowered but for its place in the graph.
#[derive(Clone, Debug)]
pub struct StateMachine {
    /// Its states.
    pub states: Vec<MachineState>,
    /// Position of the first one.
    pub start: usize,
}

/// A state of a [`StateMachine`].
#[derive(Clone, Debug)]
pub struct MachineState {
    /// Its name, to be made unique.
    pub name: String,
    /// The code of its body.
    pub code: Vec<Code>,
    /// Where it goes.
    pub transition: MachineTransition,
    /// Its declaration, if it has one.
    pub source: p4_ir::Source,
}

/// Where a state of a [`StateMachine`] goes.
#[derive(Clone, Debug)]
pub enum MachineTransition {
    /// Always there.
    Direct(NextState),
    /// By the values of keys.
    Select {
        /// Fields, last-element fields or look-aheads.
        keys: Vec<Expr>,
        /// In order.
        cases: Vec<(Matcher, NextState)>,
    },
}

/// The code that depends on the result of applying a table.
#[derive(Clone, Debug)]
pub enum AfterTable {
    /// Nothing.
    Nothing,
    /// Code for a hit and for a miss.
    HitMiss(Vec<Code>, Vec<Code>),
    /// Code for some actions (by position in the table's list), and for all others.
    Actions(Vec<(Vec<usize>, Vec<Code>)>, Vec<Code>),
}

/// Can the code become part of an action: no tables, and nothing outside is left?
pub fn fits_action(code: &[Code]) -> bool {
    fn fits(code: &[Code], inside: &mut Vec<BlockLabel>) -> bool {
        code.iter().all(|piece| match piece {
            Code::Op(_) | Code::Exit(_) => true,
            Code::If { then, otherwise, .. } => fits(then, inside) && fits(otherwise, inside),
            Code::Block(label, body) | Code::Loop(label, body) => {
                inside.push(*label);
                let result = fits(body, inside);
                inside.pop();
                result
            }
            Code::Leave(label) => inside.contains(label),
            Code::Apply { .. } | Code::Parse(_) => false,
        })
    }
    fits(code, &mut vec![])
}

/// Turns code without tables into the body of an action.
pub fn action_body(code: &[Code]) -> Vec<Stmt> {
    let mut writer = ActionWriter::default();
    let end = writer.new_label();
    writer.end = end;
    writer.all(code);
    if writer.used.contains_key(&end) {
        writer.out.push(Op::Label(end).at(None));
    }
    writer.out
}

/// Writes straight code with jumps.
#[derive(Default)]
struct ActionWriter {
    out: Vec<Stmt>,
    next_label: u32,
    end: Label,
    blocks: HashMap<BlockLabel, Label>,
    used: HashMap<Label, ()>,
}

impl ActionWriter {
    fn new_label(&mut self) -> Label {
        self.next_label += 1;
        Label(self.next_label - 1)
    }

    fn jump(&mut self, label: Label) {
        self.used.insert(label, ());
        self.out.push(Op::Jump(label).at(None));
    }

    /// Returns whether the end of the code can be reached.
    fn all(&mut self, code: &[Code]) -> bool {
        for piece in code {
            if !self.piece(piece) {
                return false;
            }
        }
        true
    }

    fn piece(&mut self, piece: &Code) -> bool {
        match piece {
            Code::Op(stmt) => {
                self.out.push(stmt.clone());
                true
            }
            Code::Exit(source) => {
                self.out.push(Op::Exit.at(source.clone()));
                self.jump(self.end);
                false
            }
            Code::Leave(label) => {
                let target = self.blocks.get(label).copied().unwrap_or(self.end);
                self.jump(target);
                false
            }
            Code::Block(label, body) => {
                let after = self.new_label();
                self.blocks.insert(*label, after);
                // A jump that is the last thing in its block goes nowhere else than the end.
                let falls = self.all(body);
                self.drop_last_jump(after);
                let left = self.used.contains_key(&after);
                self.out.push(Op::Label(after).at(None));
                falls || left
            }
            Code::Loop(label, body) => {
                let start = self.new_label();
                let after = self.new_label();
                self.blocks.insert(*label, after);
                self.out.push(Op::Label(start).at(None));
                if self.all(body) {
                    self.jump(start);
                }
                self.out.push(Op::Label(after).at(None));
                self.used.contains_key(&after)
            }
            Code::If { condition, then, otherwise, source } => self.decision(condition, then, otherwise, source),
            // Never there: `fits_action`.
            Code::Apply { .. } | Code::Parse(_) => true,
        }
    }

    fn decision(&mut self, condition: &Expr, then: &[Code], otherwise: &[Code], source: &Source) -> bool {
        let to_else = self.new_label();
        self.used.insert(to_else, ());
        let skip = Op::JumpUnless(condition.clone(), to_else).at(source.clone());
        self.out.push(skip);
        let then_falls = self.all(then);
        if otherwise.is_empty() {
            self.out.push(Op::Label(to_else).at(None));
            return true;
        }
        let end = self.new_label();
        if then_falls {
            self.jump(end);
        }
        self.out.push(Op::Label(to_else).at(None));
        let else_falls = self.all(otherwise);
        self.out.push(Op::Label(end).at(None));
        then_falls || else_falls
    }

    /// Removes a jump to the code that follows anyway.
    fn drop_last_jump(&mut self, target: Label) {
        let is_jump = |s: &Stmt| matches!(s.op, Op::Jump(label) if label == target);
        if self.out.last().is_some_and(is_jump) {
            self.out.pop();
        }
    }
}
