//! Tables.

use super::{Parsed, Parser};
use crate::ast::{
    ActionRef, Annotation, EntryDecl, Expr, ExprKind, Ident, KeyDecl, PropertyDecl, PropertyValue, TableDecl,
};
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn table(&mut self, annotations: Vec<Annotation>) -> Parsed<TableDecl> {
        self.advance();
        let name = self.name("the name of the table")?;
        self.expect("{", "before the table's properties")?;
        let mut properties = Vec::new();
        while !self.eat("}") {
            properties.push(self.property()?);
        }
        self.declare(&name, false);
        Ok(TableDecl { annotations, name, properties })
    }

    fn property(&mut self) -> Parsed<PropertyDecl> {
        let start = self.span();
        let annotations = self.annotations()?;
        let is_const = self.eat("const");
        let name: Ident = self.name("a property of the table ('key', 'actions', …)")?;
        self.expect("=", "after the name of the property")?;
        let value = match &*name.name {
            "key" if self.at("{") => PropertyValue::Keys(self.braced(Self::key)?),
            "actions" if self.at("{") => {
                let actions = self.braced(|parser| {
                    let annotations = parser.annotations()?;
                    let action = parser.action_ref(annotations)?;
                    parser.expect(";", "after the action")?;
                    Ok(action)
                })?;
                self.refuse_twice("action", "listed", actions.iter().map(|item| &item.action.name));
                PropertyValue::Actions(actions)
            }
            "entries" if self.at("{") => PropertyValue::Entries(self.braced(Self::entry)?),
            "key" | "actions" | "entries" => {
                return self.fail("'{' and a list");
            }
            _ => {
                let value = self.expression()?;
                self.expect(";", "at the end of the property")?;
                PropertyValue::Expression(value)
            }
        };
        Ok(PropertyDecl { annotations, is_const, name, value, span: start.to(self.previous_span()) })
    }

    fn braced<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("{", "before the list")?;
        let mut list = Vec::new();
        while !self.eat("}") {
            list.push(item(self)?);
        }
        Ok(list)
    }

    fn key(&mut self) -> Parsed<KeyDecl> {
        let value = self.expression()?;
        self.expect(":", "and a match kind after the key")?;
        let match_kind = self.name("a match kind ('exact', 'lpm', …)")?;
        let annotations = self.annotations()?;
        self.expect(";", "at the end of the key")?;
        Ok(KeyDecl { value, match_kind, annotations })
    }

    fn action_ref(&mut self, annotations: Vec<Annotation>) -> Parsed<ActionRef> {
        let start = self.span();
        let action = self.path("the name of an action")?;
        let args = if self.at("(") { Some(self.arguments()?) } else { None };
        Ok(ActionRef { annotations, action, args, span: start.to(self.previous_span()) })
    }

    fn entry(&mut self) -> Parsed<EntryDecl> {
        let start = self.span();
        let is_const = self.eat("const");
        let priority = if self.at("priority") && self.next_is(1, "=") { Some(self.entry_priority()?) } else { None };
        let keys = self.key_set()?;
        self.expect(":", "and an action after the keys of an entry")?;
        let action = self.action_ref(Vec::new())?;
        let annotations = self.annotations()?;
        self.expect(";", "at the end of the entry")?;
        Ok(EntryDecl { annotations, is_const, priority, keys, action, span: start.to(self.previous_span()) })
    }

    /// `priority = 10 :` or `priority = (expression) :`
    fn entry_priority(&mut self) -> Parsed<Expr> {
        self.advance();
        self.advance();
        let span = self.span();
        let value = match self.token().kind.clone() {
            TokenKind::Integer(literal) => {
                self.advance();
                Expr { kind: ExprKind::Integer(literal.value, literal.width, literal.radix), span, depth: 1 }
            }
            _ => {
                self.expect("(", "or a number after 'priority ='")?;
                let value = self.expression()?;
                self.expect(")", "after the priority")?;
                value
            }
        };
        self.expect(":", "after the priority")?;
        Ok(value)
    }
}
