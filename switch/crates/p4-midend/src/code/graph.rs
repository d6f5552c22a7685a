//! From structured code to the graph of a pipeline.
//!
//! Runs of code without tables become one synthesized table each, without keys, whose default
//! action does the work (BMv2 cannot execute statements outside tables). The graph is built from
//! the end to the beginning, so every piece knows the node that follows it.

use crate::code::structured::{AfterTable, BlockLabel, Code, action_body, fits_action};
use crate::control_plane::names::Taken;
use num_bigint::BigInt;
use p4_ir::control::{Action, ActionId, DefaultAction, Node, NodeId, Pipeline, Table, TableId, TableNext};
use p4_ir::expr::{BinaryOp, Expr, Ty};
use p4_ir::ops::{Op, Stmt};
use p4_ir::storage::{Field, FieldRef, FieldWidth, Storage};
use p4_ir::{Program, Source};
use std::collections::{BTreeSet, HashMap};

/// Width of the variable that tells from which of several places a table was applied.
const SITE_BITS: u32 = 16;

/// Builds the graph of one pipeline.
pub struct GraphBuilder<'a> {
    program: &'a mut Program,
    storage: &'a mut Storage,
    names: &'a mut Taken,
    pipeline: Pipeline,
    targets: HashMap<BlockLabel, Option<NodeId>>,
}

/// Builds the graph of `code`; `names` are the names of nodes already taken, `storage` gets its variables.
pub fn build(program: &mut Program, storage: &mut Storage, names: &mut Taken, name: &str, code: &[Code]) -> Pipeline {
    let mut builder = GraphBuilder {
        program,
        storage,
        names,
        pipeline: Pipeline { name: name.to_owned(), ..Pipeline::default() },
        targets: HashMap::new(),
    };
    builder.pipeline.start = builder.sequence(code, None);
    builder.merge_applications();
    builder.pipeline
}

impl GraphBuilder<'_> {
    fn add(&mut self, node: Node) -> NodeId {
        self.pipeline.nodes.push(node);
        NodeId::from_index(self.pipeline.nodes.len() - 1)
    }

    /// A name that is not taken, made of `stem` and of the file and line of the source.
    fn fresh_name(&mut self, stem: &str, source: &Source) -> String {
        let base = match source {
            Some(source) => format!("{stem}_{}_{}", file_stem(&source.file), source.line),
            None => stem.to_owned(),
        };
        self.names.unique(&base)
    }

    /// The first node of `code` followed by `next`.
    fn sequence(&mut self, code: &[Code], mut next: Option<NodeId>) -> Option<NodeId> {
        let end = code
            .iter()
            .position(|piece| matches!(piece, Code::Leave(_) | Code::Exit(_)))
            .map_or(code.len(), |position| position + 1);
        let mut end = end;
        while end > 0 {
            let fits = |piece: &Code| !matches!(piece, Code::Exit(_)) && fits_action(std::slice::from_ref(piece));
            if !fits(&code[end - 1]) {
                next = self.piece(&code[end - 1], next);
                end -= 1;
                continue;
            }
            let start = code[..end].iter().rposition(|piece| !fits(piece));
            let start = start.map_or(0, |position| position + 1);
            next = self.run(&code[start..end], next);
            end = start;
        }
        next
    }

    /// Code without tables.
    fn run(&mut self, code: &[Code], next: Option<NodeId>) -> Option<NodeId> {
        let body = action_body(code);
        if body.iter().all(|stmt| matches!(stmt.op, Op::Label(_))) {
            return next;
        }
        Some(self.action_node(body, next))
    }

    /// A synthesized table that runs `body`.
    fn action_node(&mut self, body: Vec<Stmt>, next: Option<NodeId>) -> NodeId {
        let source = body.iter().find_map(|stmt| stmt.source.clone());
        let name = self.fresh_name("tbl", &source);
        self.program.actions.push(Action { name: name.replacen("tbl", "act", 1), params: vec![], body, source: None });
        let action = ActionId::from_index(self.program.actions.len() - 1);
        self.program.tables.push(Table {
            name,
            keys: vec![],
            actions: vec![action],
            default: Some(DefaultAction { action, args: vec![], constant: true }),
            entries: None,
            const_entries: false,
            size: 1024,
            support_timeout: false,
            profile: None,
            with_counters: false,
            direct_meter: None,
            synthesized: true,
            source,
        });
        let table = TableId::from_index(self.program.tables.len() - 1);
        self.add(Node::Table { table, next: TableNext::Always(next) })
    }

    fn piece(&mut self, piece: &Code, next: Option<NodeId>) -> Option<NodeId> {
        match piece {
            Code::Op(_) => self.run(std::slice::from_ref(piece), next),
            Code::Exit(_) => None,
            Code::Leave(label) => self.targets.get(label).copied().unwrap_or(None),
            Code::Block(label, body) => {
                self.targets.insert(*label, next);
                self.sequence(body, next)
            }
            // The mid-end refuses loops with tables inside.
            Code::Loop(..) | Code::Parse(_) => next,
            Code::If { condition, then, otherwise, source } => {
                let then = self.sequence(then, next);
                let otherwise = self.sequence(otherwise, next);
                if then == otherwise {
                    return then;
                }
                let name = self.fresh_name("node", source);
                Some(self.add(Node::If { name, condition: condition.clone(), then, otherwise, source: source.clone() }))
            }
            Code::Apply { table, then } => {
                let next = match then {
                    AfterTable::Nothing => TableNext::Always(next),
                    AfterTable::HitMiss(hit, miss) => {
                        let hit = self.sequence(hit, next);
                        let miss = self.sequence(miss, next);
                        if hit == miss { TableNext::Always(hit) } else { TableNext::HitMiss { hit, miss } }
                    }
                    AfterTable::Actions(cases, otherwise) => {
                        let mut targets = vec![];
                        for (actions, code) in cases {
                            let target = self.sequence(code, next);
                            targets.extend(actions.iter().map(|action| (*action, target)));
                        }
                        let otherwise = self.sequence(otherwise, next);
                        TableNext::Actions { cases: targets, otherwise }
                    }
                };
                Some(self.add(Node::Table { table: *table, next }))
            }
        }
    }

    /// BMv2 knows one successor for a table. A table that is applied at several places with
    /// different continuations notes the place in a variable and decides by it afterwards.
    fn merge_applications(&mut self) {
        let all = self.pipeline.nodes.iter();
        let tables: BTreeSet<TableId> = all.filter_map(|node| applies(node).copied()).collect();
        for table in tables {
            // Nodes move when others are merged, so the places are looked up for each table anew.
            let nodes = self.pipeline.nodes.iter().enumerate();
            let sites: Vec<usize> =
                nodes.filter(|(_, node)| applies(node) == Some(&table)).map(|(index, _)| index).collect();
            if sites.len() > 1 {
                self.merge_table(table, &sites);
            }
        }
    }

    fn table_next(&self, index: usize) -> TableNext {
        match &self.pipeline.nodes[index] {
            Node::Table { next, .. } => next.clone(),
            Node::If { .. } => TableNext::Always(None),
        }
    }

    fn merge_table(&mut self, table: TableId, sites: &[usize]) {
        let mut nexts: Vec<TableNext> = sites.iter().map(|site| self.table_next(*site)).collect();
        if nexts.windows(2).all(|pair| same_next(&pair[0], &pair[1])) {
            let merged = sites[1..].iter().map(|site| NodeId::from_index(*site)).collect();
            self.redirect(&merged, NodeId::from_index(sites[0]));
            self.remove(&merged);
            return;
        }
        let by_action = nexts.iter().any(|n| matches!(n, TableNext::Actions { .. }));
        let by_hit = nexts.iter().any(|n| matches!(n, TableNext::HitMiss { .. }));
        let default = (by_action && by_hit).then(|| self.tell_actions(table, &mut nexts));
        let variable = self.new_variable("$applied_at");
        let site_of = |k: usize| Expr::constant(BigInt::from(k), Ty::bit(SITE_BITS));
        // The one application that remains.
        let shared = self.add(Node::Table { table, next: TableNext::Always(None) });
        for (k, site) in sites.iter().enumerate() {
            let note = Op::Assign(variable, site_of(k)).at(None);
            let notes = std::iter::once(note).chain(default.clone().map(|op| op.at(None)));
            let entry = self.action_node(notes.collect(), Some(shared));
            let entry = self.pipeline.nodes[entry.index()].clone();
            self.pipeline.nodes[*site] = entry;
        }
        self.pipeline.nodes.truncate(self.pipeline.nodes.len() - sites.len());
        let decide = |builder: &mut Self, pick: &dyn Fn(&TableNext) -> Option<NodeId>| {
            let mut next = pick(&nexts[0]);
            for (k, other) in nexts.iter().enumerate().skip(1) {
                let target = pick(other);
                if target == next {
                    continue;
                }
                let name = builder.fresh_name("node", &None);
                let here = Expr::field(variable, Ty::bit(SITE_BITS));
                next = Some(builder.add(Node::If {
                    name,
                    condition: Expr::binary(BinaryOp::Eq, here, site_of(k), Ty::Bool),
                    then: target,
                    otherwise: next,
                    source: None,
                }));
            }
            next
        };
        let actions = self.program.tables[table.index()].actions.len();
        let merged = if by_action && !by_hit {
            let mut cases = vec![];
            for action in 0..actions {
                let pick = |next: &TableNext| after_action(next, action);
                cases.push((action, decide(self, &pick)));
            }
            TableNext::Actions { cases, otherwise: None }
        } else if by_hit {
            TableNext::HitMiss {
                hit: decide(self, &|next| after_hit(next, true)),
                miss: decide(self, &|next| after_hit(next, false)),
            }
        } else {
            TableNext::Always(decide(self, &|next| after_hit(next, true)))
        };
        if let Node::Table { next, .. } = &mut self.pipeline.nodes[shared.index()] {
            *next = merged;
        }
    }

    /// BMv2 tells either whether an entry was hit or which action ran. Where both are asked for, each action notes its
    /// number, and the program goes on by that number. The result notes the default action, for a group without
    /// members, which runs none.
    fn tell_actions(&mut self, table: TableId, nexts: &mut [TableNext]) -> Op {
        let variable = self.new_variable("$ran");
        let number = |position: usize| Expr::constant(BigInt::from(position), Ty::bit(SITE_BITS));
        let Table { actions, default, .. } = &self.program.tables[table.index()];
        let (actions, default) = (actions.clone(), default.as_ref().map(|default| default.action));
        for (position, action) in actions.iter().enumerate() {
            let note = Op::Assign(variable, number(position)).at(None);
            self.program.actions[action.index()].body.insert(0, note);
        }
        for next in nexts {
            let TableNext::Actions { cases, otherwise } = next else { continue };
            let mut first = *otherwise;
            for (position, then) in cases.iter().filter(|(_, node)| node != otherwise) {
                let name = self.fresh_name("node", &None);
                let ran = Expr::field(variable, Ty::bit(SITE_BITS));
                let condition = Expr::binary(BinaryOp::Eq, ran, number(*position), Ty::Bool);
                first = Some(self.add(Node::If { name, condition, then: *then, otherwise: first, source: None }));
            }
            *next = TableNext::Always(first);
        }
        let default = actions.iter().position(|action| Some(*action) == default);
        Op::Assign(variable, number(default.unwrap_or(actions.len())))
    }

    /// A fresh variable.
    fn new_variable(&mut self, stem: &str) -> FieldRef {
        let name = self.names.unique(stem);
        let scalars = self.storage.scalars.unwrap_or_default();
        let field = Field { name, width: FieldWidth::Bits(SITE_BITS), signed: false };
        self.storage.add_field(scalars, field)
    }

    /// Makes all edges to `from` go to `to`.
    fn redirect(&mut self, from: &BTreeSet<NodeId>, to: NodeId) {
        let change = |node: &mut Option<NodeId>| {
            if node.is_some_and(|node| from.contains(&node)) {
                *node = Some(to);
            }
        };
        change(&mut self.pipeline.start);
        for node in &mut self.pipeline.nodes {
            each_edge(node, &change);
        }
    }

    /// Removes nodes without edges to them.
    fn remove(&mut self, removed: &BTreeSet<NodeId>) {
        let mut new_index = vec![NodeId(0); self.pipeline.nodes.len()];
        let mut count = 0;
        for (index, slot) in new_index.iter_mut().enumerate() {
            *slot = NodeId::from_index(count);
            if !removed.contains(&NodeId::from_index(index)) {
                count += 1;
            }
        }
        let mut index = 0;
        self.pipeline.nodes.retain(|_| {
            index += 1;
            !removed.contains(&NodeId::from_index(index - 1))
        });
        let renumber = |node: &mut Option<NodeId>| {
            if let Some(id) = node {
                *id = new_index[id.index()];
            }
        };
        renumber(&mut self.pipeline.start);
        for node in &mut self.pipeline.nodes {
            each_edge(node, &renumber);
        }
    }
}

/// The table that a node applies.
fn applies(node: &Node) -> Option<&TableId> {
    match node {
        Node::Table { table, .. } => Some(table),
        Node::If { .. } => None,
    }
}

/// Calls `change` for every edge that leaves a node.
fn each_edge(node: &mut Node, change: &dyn Fn(&mut Option<NodeId>)) {
    match node {
        Node::If { then, otherwise, .. } => {
            change(then);
            change(otherwise);
        }
        Node::Table { next, .. } => match next {
            TableNext::Always(node) => change(node),
            TableNext::HitMiss { hit, miss } => {
                change(hit);
                change(miss);
            }
            TableNext::Actions { cases, otherwise } => {
                for (_, node) in cases {
                    change(node);
                }
                change(otherwise);
            }
        },
    }
}

fn after_hit(next: &TableNext, is_hit: bool) -> Option<NodeId> {
    match next {
        TableNext::Always(node) => *node,
        TableNext::HitMiss { hit, miss } => {
            if is_hit {
                *hit
            } else {
                *miss
            }
        }
        TableNext::Actions { otherwise, .. } => *otherwise,
    }
}

fn after_action(next: &TableNext, action: usize) -> Option<NodeId> {
    match next {
        TableNext::Actions { cases, otherwise } => {
            let case = cases.iter().find(|(position, _)| *position == action);
            case.map_or(*otherwise, |(_, node)| *node)
        }
        other => after_hit(other, true),
    }
}

fn same_next(a: &TableNext, b: &TableNext) -> bool {
    match (a, b) {
        (TableNext::Always(a), TableNext::Always(b)) => a == b,
        (TableNext::HitMiss { hit: a, miss: b }, TableNext::HitMiss { hit: c, miss: d }) => a == c && b == d,
        _ => false,
    }
}

/// The file's name without folder and extension, fit for an identifier.
fn file_stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
