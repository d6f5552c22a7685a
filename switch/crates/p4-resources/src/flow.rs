//! A pipeline as one graph of single steps: operations, decisions and applications of tables, without circles.

use p4_ir::Program;
use p4_ir::control::{Action, ActionId, Node, NodeId, Pipeline, TableId, TableNext};
use p4_ir::expr::Expr;
use p4_ir::ops::{Label, Op, Stmt};
use std::collections::HashMap;

/// The work of a step.
#[derive(Clone, Copy, Debug)]
pub enum Step<'p> {
    /// Nothing: here ways come together, or end.
    Join,
    /// An operation.
    Operation(&'p Stmt),
    /// Goes one way or the other.
    Decision(&'p Expr),
    /// Looks something up in a table of the program; one of its actions follows.
    Match(TableId),
}

/// A step.
#[derive(Clone, Debug)]
pub struct FlowNode<'p> {
    /// Its work.
    pub step: Step<'p>,
    /// The steps that may follow.
    pub next: Vec<usize>,
    /// The match step of the application whose action it belongs to.
    pub owner: Option<usize>,
}

/// A pipeline.
#[derive(Debug)]
pub struct Flow<'p> {
    /// All steps.
    pub nodes: Vec<FlowNode<'p>>,
    /// The first one.
    pub start: usize,
    /// The last one, where all ways end.
    pub end: usize,
}

/// The steps of a pipeline.
pub fn flow<'p>(program: &'p Program, pipeline: &'p Pipeline) -> Flow<'p> {
    let mut builder = Builder { program, nodes: Vec::new(), entries: Vec::new(), end: 0 };
    builder.end = builder.add(Step::Join, None);
    let entries = pipeline.nodes.iter().map(|_| builder.add(Step::Join, None)).collect();
    builder.entries = entries;
    for (index, node) in pipeline.nodes.iter().enumerate() {
        builder.node(builder.entries[index], node);
    }
    let start = builder.target(pipeline.start);
    Flow { nodes: builder.nodes, start, end: builder.end }
}

impl Flow<'_> {
    /// The steps that a packet can reach, each before those that follow it.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut visited = vec![false; self.nodes.len()];
        let mut waiting = vec![(self.start, 0)];
        visited[self.start] = true;
        while let Some((node, position)) = waiting.pop() {
            match self.nodes[node].next.get(position) {
                Some(&next) => {
                    waiting.push((node, position + 1));
                    if !visited[next] {
                        visited[next] = true;
                        waiting.push((next, 0));
                    }
                }
                None => order.push(node),
            }
        }
        order.reverse();
        order
    }
}

struct Builder<'p> {
    program: &'p Program,
    nodes: Vec<FlowNode<'p>>,
    /// The first step of each node of the pipeline.
    entries: Vec<usize>,
    end: usize,
}

impl<'p> Builder<'p> {
    fn add(&mut self, step: Step<'p>, owner: Option<usize>) -> usize {
        self.nodes.push(FlowNode { step, next: Vec::new(), owner });
        self.nodes.len() - 1
    }

    fn target(&self, node: Option<NodeId>) -> usize {
        node.map_or(self.end, |node| self.entries[node.index()])
    }

    fn node(&mut self, entry: usize, node: &'p Node) {
        match node {
            Node::If { condition, then, otherwise, .. } => {
                self.nodes[entry].step = Step::Decision(condition);
                self.nodes[entry].next = vec![self.target(*then), self.target(*otherwise)];
            }
            Node::Table { table, next } if self.program.tables[table.index()].synthesized => {
                let declared = &self.program.tables[table.index()];
                let next = match next {
                    TableNext::Always(next) => self.target(*next),
                    TableNext::HitMiss { miss, .. } => self.target(*miss),
                    TableNext::Actions { otherwise, .. } => self.target(*otherwise),
                };
                let action = declared.default.as_ref().map(|default| default.action);
                let body = self.action(action, None, next);
                self.nodes[entry].next = vec![body];
            }
            Node::Table { table, next } => self.application(entry, *table, next),
        }
    }

    /// A table and all actions that it may run.
    fn application(&mut self, entry: usize, table: TableId, next: &TableNext) {
        let declared = &self.program.tables[table.index()];
        self.nodes[entry].step = Step::Match(table);
        let mut ways: Vec<(Option<ActionId>, usize)> = Vec::new();
        let all = || declared.actions.iter().copied().map(Some);
        let after = |this: &Self, action: Option<ActionId>, is_hit: bool| match next {
            TableNext::Always(next) => this.target(*next),
            TableNext::HitMiss { hit, miss } => this.target(if is_hit { *hit } else { *miss }),
            TableNext::Actions { cases, otherwise } => {
                let position = declared.actions.iter().position(|known| Some(*known) == action);
                let case = cases.iter().find(|(index, _)| Some(*index) == position);
                this.target(case.map_or(*otherwise, |(_, next)| *next))
            }
        };
        if !declared.keys.is_empty() {
            ways.extend(all().map(|action| (action, after(self, action, true))));
        }
        // The control plane may make any action the default one, unless that is constant.
        match &declared.default {
            Some(default) if default.constant => {
                let action = Some(default.action);
                ways.push((action, after(self, action, false)));
            }
            Some(_) => ways.extend(all().map(|action| (action, after(self, action, false)))),
            None => ways.push((None, after(self, None, false))),
        }
        ways.sort_unstable();
        ways.dedup();
        for (action, next) in ways {
            let first = self.action(action, Some(entry), next);
            self.nodes[entry].next.push(first);
        }
    }

    /// An action's steps before `next`; returns the first one.
    fn action(&mut self, action: Option<ActionId>, owner: Option<usize>, next: usize) -> usize {
        let program = self.program;
        let body = action.map_or(&[][..], |action| {
            let action: &Action = &program.actions[action.index()];
            &action.body
        });
        let first = self.add(Step::Join, owner);
        let mut labels: HashMap<Label, usize> = HashMap::new();
        let mut label_node = |this: &mut Self, label: Label| match labels.get(&label) {
            Some(known) => *known,
            None => {
                let node = this.add(Step::Join, owner);
                labels.insert(label, node);
                node
            }
        };
        // After a jump nothing comes before the next label.
        let mut last = Some(first);
        for stmt in body {
            let node = match &stmt.op {
                Op::Label(label) => label_node(self, *label),
                Op::Jump(label) => {
                    let target = label_node(self, *label);
                    if let Some(last) = last.take() {
                        self.nodes[last].next.push(target);
                    }
                    continue;
                }
                Op::JumpUnless(condition, label) => {
                    let target = label_node(self, *label);
                    let node = self.add(Step::Decision(condition), owner);
                    self.nodes[node].next.push(target);
                    node
                }
                Op::Exit => {
                    if let Some(last) = last.take() {
                        let end = self.end;
                        self.nodes[last].next.push(end);
                    }
                    continue;
                }
                _ => self.add(Step::Operation(stmt), owner),
            };
            if let Some(last) = last.replace(node) {
                self.nodes[last].next.push(node);
            }
        }
        if let Some(last) = last {
            self.nodes[last].next.push(next);
        }
        first
    }
}
