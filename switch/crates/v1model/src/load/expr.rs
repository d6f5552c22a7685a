//! JSON expressions to trees with names resolved.

use bmv2_json::{Node, ProgramError};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::ast::{Ast, BinOp, Bool, Data, HeaderExpr, UnionExpr};
use super::builder::{Builder, find};
use crate::code::expr::CmpOp;
use crate::phv::FieldLoc;

/// Widest cast: keeps big numbers small.
const MAX_CAST: u32 = 65_536;

/// The meaning of `local` at the place of the expression.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Locals<'a> {
    None,
    /// First limb and width of each parameter of the action.
    Params(&'a [(u32, u32)]),
    /// Fields of the header that is being extracted (P4_14).
    Header(u32),
}

impl Builder {
    /// Any expression: an object with `type` and `value`.
    pub fn ast(&self, node: &Node, locals: Locals) -> Result<Ast, ProgramError> {
        let kind = node.get("type");
        let value = node.get("value");
        Ok(match kind.str()? {
            "expression" => {
                if value.has("op") {
                    self.operation(&value, locals)?
                } else {
                    self.ast(&value, locals)?
                }
            }
            "field" => Ast::Data(Data::Field(self.number_field(&value)?)),
            "hexstr" => Ast::Data(Data::Const(value.hexstr()?)),
            "bool" => Ast::Bool(Bool::Const(value.bool()?)),
            "local" | "runtime_data" => Ast::Data(self.local(&value, locals)?),
            "header" => Ast::Header(HeaderExpr::Static(self.header(&value)?)),
            "header_stack" => Ast::Stack(self.stack(&value)?),
            "header_union" => Ast::Union(UnionExpr::Static(self.union(&value)?)),
            "header_union_stack" => Ast::UnionStack(self.union_stack(&value)?),
            "stack_field" => {
                let stack = self.stack(&value.at(0))?;
                let loc = self.element_field(self.stack_sample(stack, &value)?, &value.at(1))?;
                Ast::Data(Data::DynField(HeaderExpr::StackLast(stack), loc))
            }
            "union_stack_field" => {
                let stack = self.union_stack(&value.at(0))?;
                let (member, sample) = self.union_member(stack, &value.at(1))?;
                let loc = self.element_field(sample, &value.at(2))?;
                let header = HeaderExpr::Member(Box::new(UnionExpr::StackLast(stack)), member);
                Ast::Data(Data::DynField(header, loc))
            }
            "register" => {
                value.tuple(2)?;
                let array = find(&self.names.registers, &value.at(0), "register")?;
                let width = self.program.registers[array as usize].width;
                let index = Box::new(self.data(&value.at(1), locals)?);
                Ast::Data(Data::Register { array, width, index })
            }
            other => return Err(kind.error(format!("\"{other}\" is not a kind of expression"))),
        })
    }

    /// A number; a boolean counts as 0 or 1.
    pub fn data(&self, node: &Node, locals: Locals) -> Result<Data, ProgramError> {
        number(node, self.ast(node, locals)?)
    }

    /// A truth value; a number counts as true unless it is zero.
    pub fn boolean(&self, node: &Node, locals: Locals) -> Result<Bool, ProgramError> {
        match self.ast(node, locals)? {
            Ast::Bool(cond) => Ok(cond),
            Ast::Data(data) => Ok(Bool::FromData(Box::new(data))),
            other => Err(node.error(format!("expected a boolean, found {}", other.kind()))),
        }
    }

    pub fn header_expr(&self, node: &Node, locals: Locals) -> Result<HeaderExpr, ProgramError> {
        match self.ast(node, locals)? {
            Ast::Header(header) => Ok(header),
            other => Err(node.error(format!("expected a header, found {}", other.kind()))),
        }
    }

    pub fn union_expr(&self, node: &Node, locals: Locals) -> Result<UnionExpr, ProgramError> {
        match self.ast(node, locals)? {
            Ast::Union(union) => Ok(union),
            other => Err(node.error(format!("expected a header union, found {}", other.kind()))),
        }
    }

    fn number_field(&self, node: &Node) -> Result<FieldLoc, ProgramError> {
        self.field(node).map(|(_, loc)| loc)
    }

    fn local(&self, node: &Node, locals: Locals) -> Result<Data, ProgramError> {
        let index = node.usize()?;
        match locals {
            Locals::Params(params) => match params.get(index) {
                Some((limb, width)) => Ok(Data::Local { limb: *limb, width: *width }),
                None => Err(node.error(format!("parameter {index}: the action has {} parameters", params.len()))),
            },
            Locals::Header(header) => match self.program.layout.headers[header as usize].fields.get(index) {
                Some(field) => Ok(Data::Field(field.loc)),
                None => Err(node.error(format!("the header has no field {index}"))),
            },
            Locals::None => Err(node.error("parameters can only be used in actions")),
        }
    }

    fn operation(&self, node: &Node, locals: Locals) -> Result<Ast, ProgramError> {
        let op = node.get("op");
        let (left, right) = (node.get("left"), node.get("right"));
        let data = |n: &Node| self.data(n, locals).map(Box::new);
        let boolean = |n: &Node| self.boolean(n, locals).map(Box::new);
        let arithmetic = |op: BinOp| -> Result<Ast, ProgramError> {
            let first = if left.is_null() { Box::new(Data::Const(BigInt::ZERO)) } else { data(&left)? };
            Ok(Ast::Data(Data::Bin(op, first, data(&right)?)))
        };
        let comparison = |op: CmpOp| Ok(Ast::Bool(Bool::Cmp(op, data(&left)?, data(&right)?)));
        Ok(match op.str()? {
            "+" => arithmetic(BinOp::Add)?,
            "-" => arithmetic(BinOp::Sub)?,
            "*" => arithmetic(BinOp::Mul)?,
            "/" => arithmetic(BinOp::Div)?,
            "%" => arithmetic(BinOp::Mod)?,
            "&" => arithmetic(BinOp::And)?,
            "|" => arithmetic(BinOp::Or)?,
            "^" => arithmetic(BinOp::Xor)?,
            "<<" => arithmetic(BinOp::Shl)?,
            ">>" => arithmetic(BinOp::Shr)?,
            "~" => Ast::Data(Data::Not(data(&right)?)),
            "==" => self.equality(&left, &right, locals)?,
            "!=" => match self.equality(&left, &right, locals)? {
                Ast::Bool(Bool::Cmp(CmpOp::Eq, a, b)) => Ast::Bool(Bool::Cmp(CmpOp::Ne, a, b)),
                Ast::Bool(other) => Ast::Bool(Bool::Not(Box::new(other))),
                other => other,
            },
            "<" => comparison(CmpOp::Lt)?,
            "<=" => comparison(CmpOp::Le)?,
            ">" => comparison(CmpOp::Gt)?,
            ">=" => comparison(CmpOp::Ge)?,
            "and" => Ast::Bool(Bool::And(boolean(&left)?, boolean(&right)?)),
            "or" => Ast::Bool(Bool::Or(boolean(&left)?, boolean(&right)?)),
            "not" => Ast::Bool(Bool::Not(boolean(&right)?)),
            "d2b" => Ast::Bool(Bool::FromData(data(&right)?)),
            "b2d" => Ast::Data(Data::FromBool(boolean(&right)?)),
            "valid" => match self.ast(&right, locals)? {
                Ast::Header(header) => Ast::Bool(Bool::Valid(header)),
                Ast::Union(union) => Ast::Bool(Bool::ValidUnion(union)),
                other => {
                    return Err(right.error(format!("expected a header, found {}", other.kind())));
                }
            },
            "valid_union" => Ast::Bool(Bool::ValidUnion(self.union_expr(&right, locals)?)),
            "two_comp_mod" => Ast::Data(Data::TwoCompMod(data(&left)?, self.width(&right, locals)?)),
            "usat_cast" => Ast::Data(Data::USatCast(data(&left)?, self.width(&right, locals)?)),
            "sat_cast" => Ast::Data(Data::SatCast(data(&left)?, self.width(&right, locals)?)),
            "?" => {
                let condition = boolean(&node.get("cond"))?;
                match (self.ast(&left, locals)?, self.ast(&right, locals)?) {
                    (Ast::Bool(a), Ast::Bool(b)) => Ast::Bool(Bool::Ternary(condition, Box::new(a), Box::new(b))),
                    (a, b) => {
                        let (a, b) = (number(&left, a)?, number(&right, b)?);
                        Ast::Data(Data::Ternary(condition, Box::new(a), Box::new(b)))
                    }
                }
            }
            "dereference_stack" | "dereference_header_stack" => match self.ast(&left, locals)? {
                Ast::Stack(stack) => Ast::Header(HeaderExpr::StackAt(stack, data(&right)?)),
                other => {
                    return Err(left.error(format!("expected a header stack, found {}", other.kind())));
                }
            },
            "dereference_union_stack" => match self.ast(&left, locals)? {
                Ast::UnionStack(stack) => Ast::Union(UnionExpr::StackAt(stack, data(&right)?)),
                other => {
                    return Err(left.error(format!("expected a union stack, found {}", other.kind())));
                }
            },
            "access_field" => {
                let header = self.header_expr(&left, locals)?;
                let loc = self.field_at(&header, &right)?;
                Ast::Data(Data::DynField(header, loc))
            }
            "access_union_header" => {
                let union = self.union_expr(&left, locals)?;
                Ast::Header(HeaderExpr::Member(Box::new(union), right.u32()?))
            }
            "last_stack_index" => Ast::Data(self.stack_count(&right, -1, locals)?),
            "size_stack" => Ast::Data(self.stack_count(&right, 0, locals)?),
            other => return Err(op.error(format!("unknown operation \"{other}\""))),
        })
    }

    fn equality(&self, left: &Node, right: &Node, locals: Locals) -> Result<Ast, ProgramError> {
        Ok(Ast::Bool(match (self.ast(left, locals)?, self.ast(right, locals)?) {
            (Ast::Bool(a), Ast::Bool(b)) => Bool::Not(Box::new(Bool::Differ(Box::new(a), Box::new(b)))),
            (Ast::Header(a), Ast::Header(b)) => Bool::HeadersEqual(a, b),
            (Ast::Union(a), Ast::Union(b)) => Bool::UnionsEqual(a, b),
            (a, b) => Bool::Cmp(CmpOp::Eq, Box::new(number(left, a)?), Box::new(number(right, b)?)),
        }))
    }

    /// The width of a cast: a constant.
    fn width(&self, node: &Node, locals: Locals) -> Result<u32, ProgramError> {
        match self.data(node, locals)? {
            Data::Const(value) => match value.to_u32().filter(|w| (1..=MAX_CAST).contains(w)) {
                Some(width) => Ok(width),
                None => Err(node.error(format!("{value} is not a width"))),
            },
            _ => Err(node.error("the width of a cast must be a constant")),
        }
    }

    fn stack_count(&self, node: &Node, plus: i64, locals: Locals) -> Result<Data, ProgramError> {
        let layout = &self.program.layout;
        let (next, size) = match self.ast(node, locals)? {
            Ast::Stack(stack) => {
                let stack = &layout.stacks[stack as usize];
                (stack.next, stack.headers.len())
            }
            Ast::UnionStack(stack) => {
                let stack = &layout.union_stacks[stack as usize];
                (stack.next, stack.unions.len())
            }
            other => {
                return Err(node.error(format!("expected a header stack, found {}", other.kind())));
            }
        };
        Ok(Data::StackCount { next, size: size as u32, plus })
    }

    /// A field by its position in a header that is found at run time.
    fn field_at(&self, header: &HeaderExpr, node: &Node) -> Result<FieldLoc, ProgramError> {
        let layout = &self.program.layout;
        let union_sample = |union: &UnionExpr, member: u32| {
            let union = match union {
                UnionExpr::Static(union) => Some(*union),
                UnionExpr::StackAt(stack, _) | UnionExpr::StackLast(stack) => {
                    layout.union_stacks[*stack as usize].unions.first().copied()
                }
            };
            union.and_then(|u| layout.unions[u as usize].headers.get(member as usize).copied())
        };
        let sample = match header {
            HeaderExpr::Static(header) => Some(*header),
            HeaderExpr::StackAt(stack, _) | HeaderExpr::StackLast(stack) => {
                layout.stacks[*stack as usize].headers.first().copied()
            }
            HeaderExpr::Member(union, member) => union_sample(union, *member),
        };
        let index = node.usize()?;
        let sample = sample.and_then(|s| layout.headers.get(s as usize));
        match sample.and_then(|s| s.fields.get(index).map(|f| (s.base, f.loc))) {
            Some((base, loc)) => Ok(FieldLoc { slot: loc.slot - base, ..loc }),
            None => Err(node.error(format!("the header has no field {index}"))),
        }
    }
}

/// The expression that was read from `node`, as a number; a boolean counts as 0 or 1.
///
/// To read the node a second time instead would double the time at each level of nested choices.
fn number(node: &Node, read: Ast) -> Result<Data, ProgramError> {
    match read {
        Ast::Data(data) => Ok(data),
        Ast::Bool(cond) => Ok(Data::FromBool(Box::new(cond))),
        other => Err(node.error(format!("expected a number, found {}", other.kind()))),
    }
}
