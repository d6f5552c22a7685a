//! The decisions that say whether a step is done.

use crate::flow::Flow;

/// For each step its decisions: the steps with several ways, on some of which it is done and on others not. Only the
/// innermost ones are there, since they depend on those around them in turn. `order` is that of [`Flow::in_order`].
pub fn control_dependences(flow: &Flow<'_>, order: &[usize]) -> Vec<Vec<usize>> {
    let after = immediate_postdominators(flow, order);
    let mut dependences = vec![Vec::new(); flow.nodes.len()];
    for &decision in order.iter().filter(|node| flow.nodes[**node].next.len() > 1) {
        for &way in &flow.nodes[decision].next {
            let mut step = way;
            while step != after[decision] && step != flow.end {
                if dependences[step].last() != Some(&decision) {
                    dependences[step].push(decision);
                }
                step = after[step];
            }
        }
    }
    dependences
}

/// For each step the first one that comes after it on all ways.
fn immediate_postdominators(flow: &Flow<'_>, order: &[usize]) -> Vec<usize> {
    let mut after = vec![flow.end; flow.nodes.len()];
    let mut depth = vec![0usize; flow.nodes.len()];
    for &node in order.iter().rev().filter(|node| **node != flow.end) {
        let mut ways = flow.nodes[node].next.iter().copied();
        let Some(mut common) = ways.next() else { continue };
        for mut way in ways {
            while way != common {
                let later = if depth[way] > depth[common] { &mut way } else { &mut common };
                // Of two at the same depth both go on, one after the other.
                *later = after[*later];
            }
        }
        after[node] = common;
        depth[node] = depth[common] + 1;
    }
    after
}
