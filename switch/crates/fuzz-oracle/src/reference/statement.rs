//! Statements.

use crate::reference::arithmetic::{signed, unsigned};
use crate::reference::operators::equal;
use crate::reference::{Machine, Result, Value, unsupported};
use p4_types::typed::{
    ActionId, Block, Expr, ExprKind, ForDomain, KeySet, Statement, StatementKind, SwitchCase, TableId, VarId,
};

/// How a statement ends, `exit` aside.
#[derive(Clone, Debug)]
pub(super) enum Flow {
    /// The next one follows.
    Next,
    /// The innermost loop ends.
    Break,
    /// The next turn of the innermost loop follows.
    Continue,
    /// The function, action or control ends.
    Return(Option<Value>),
}

impl Machine<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Result<Flow> {
        self.statements(&block.statements)
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<Flow> {
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow> {
        self.step()?;
        match &statement.kind {
            StatementKind::Variable(variable, value) => {
                self.declare(*variable, value.as_ref())?;
                Ok(Flow::Next)
            }
            StatementKind::Assign { target, value, operator } => {
                let place = self.place(target)?;
                let value = match (operator, &value.kind) {
                    // The target is evaluated once, although it is a part of the value.
                    (Some(_), ExprKind::Binary(op, old, operand)) => {
                        let before = self.load(&place)?;
                        let change = self.evaluate(operand)?;
                        self.binary(*op, (&before, &old.ty), (&change, &operand.ty))?
                    }
                    _ => self.evaluate(value)?,
                };
                self.store(&place, value)?;
                Ok(Flow::Next)
            }
            StatementKind::Call(expr) => {
                match &expr.kind {
                    ExprKind::Call(call) => drop(self.call(call)?),
                    _ => drop(self.evaluate(expr)?),
                }
                Ok(Flow::Next)
            }
            StatementKind::If { condition, yes, no } => {
                if self.evaluate(condition)?.truth()? {
                    self.block(yes)
                } else {
                    no.as_ref().map_or(Ok(Flow::Next), |no| self.block(no))
                }
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.evaluate(value)).transpose()?;
                Ok(Flow::Return(value))
            }
            StatementKind::Exit => Err(crate::reference::Interrupt::Exit),
            StatementKind::Break => Ok(Flow::Break),
            StatementKind::Continue => Ok(Flow::Continue),
            StatementKind::SwitchAction { table, cases } => self.switch_action(*table, cases),
            StatementKind::SwitchValue { value, cases } => self.switch_value(value, cases),
            StatementKind::For { init, condition, update, body } => {
                self.statements(init)?;
                while self.evaluate(condition)?.truth()? {
                    self.step()?;
                    match self.block(body)? {
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Ok(flow),
                        Flow::Next | Flow::Continue => {}
                    }
                    self.statements(update)?;
                }
                Ok(Flow::Next)
            }
            StatementKind::ForIn { variable, domain, body } => self.for_in(*variable, domain, body),
            StatementKind::Instance(_) => unsupported("instances among statements"),
        }
    }

    /// Declares a variable; without a value it is not initialized.
    pub(super) fn declare(&mut self, variable: VarId, value: Option<&Expr>) -> Result<()> {
        let value = match value {
            Some(value) => self.evaluate(value)?,
            None => Value::uninitialized(self.program, &self.program[variable].ty),
        };
        self.set(variable, value);
        Ok(())
    }

    fn switch_action(&mut self, table: TableId, cases: &[SwitchCase<ActionId>]) -> Result<Flow> {
        let action = self.apply_table(table)?.action;
        let named = cases.iter().find(|case| case.labels.contains(&action));
        let case = named.or_else(|| cases.iter().find(|case| case.is_default));
        case.map_or(Ok(Flow::Next), |case| self.block(&case.body))
    }

    fn switch_value(&mut self, value: &Expr, cases: &[SwitchCase<Expr>]) -> Result<Flow> {
        let value = self.evaluate(value)?;
        for case in cases {
            for label in &case.labels {
                let label = self.evaluate(label)?;
                if equal(&value, &label)? {
                    return self.block(&case.body);
                }
            }
        }
        cases.iter().find(|case| case.is_default).map_or(Ok(Flow::Next), |case| self.block(&case.body))
    }

    fn for_in(&mut self, variable: VarId, domain: &ForDomain, body: &Block) -> Result<Flow> {
        let turns = match domain {
            ForDomain::Set(KeySet::Range(low, high)) => {
                let format = self.format(&low.ty)?;
                let (low, high) = (self.evaluate(low)?.bits()?, self.evaluate(high)?.bits()?);
                let number = |bits| if format.signed { signed(bits, format.width) } else { bits as i128 };
                if format.width == 128 {
                    return unsupported("a loop over numbers of 128 bits");
                }
                Turns::Numbers { from: number(low), to: number(high), width: format.width }
            }
            ForDomain::Elements(list) => match self.evaluate(list)? {
                Value::Struct(elements) | Value::Stack { elements, .. } => Turns::Elements(elements.into_iter()),
                _ => return unsupported("this domain of a loop"),
            },
            ForDomain::Set(_) => return unsupported("this domain of a loop"),
        };
        for value in turns {
            self.step()?;
            self.set(variable, value);
            match self.block(body)? {
                Flow::Break => break,
                flow @ Flow::Return(_) => return Ok(flow),
                Flow::Next | Flow::Continue => {}
            }
        }
        Ok(Flow::Next)
    }
}

/// The values that a loop runs over, fixed before its first turn.
enum Turns {
    Numbers { from: i128, to: i128, width: u32 },
    Elements(std::vec::IntoIter<Value>),
}

impl Iterator for Turns {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Turns::Elements(elements) => elements.next(),
            Turns::Numbers { from, to, width } => {
                let value = *from;
                *from += 1;
                (value <= *to).then(|| Value::Bits(unsigned(value, *width)))
            }
        }
    }
}
