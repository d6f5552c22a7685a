//! Graphs of a router.

use p4graph::{Graph, program, render};

fn graphs(statements: bool) -> Vec<Graph> {
    let source = include_str!("../../v1model/tests/programs/forward.p4");
    let json = p4c_driver::compile::json("forward.p4", source).expect("it compiles");
    let json = bmv2_json::parse(&json).expect("JSON");
    program::graphs(&bmv2_json::Node::root(&json), statements).expect("a program")
}

#[test]
fn parser_and_controls() {
    let all = graphs(false);
    let names: Vec<&str> = all.iter().map(|graph| &graph.name[..]).collect();
    assert_eq!(names, ["parser", "ingress", "egress"]);
    let text = render::dot(&all[0]);
    assert!(text.contains("\"start\" -> \"ipv4\" [label=\"0x0800\"];"), "{text}");
    assert!(text.contains("start\\nextract ethernet\\nselect (ethernet.type)"), "{text}");
    assert!(text.contains("\"ipv4\" -> \"accept\""), "{text}");
    let text = render::dot(&all[1]);
    assert!(text.contains("Route.routes\\nheaders.ipv4.destination: lpm\\nforward(), drop()"), "{text}");
    assert!(text.contains("[label=\"true\"]") && text.contains("[label=\"false\"]"), "{text}");
    assert!(!text.contains("tbl_"), "{text}");
    assert_eq!(all[2].edges.len(), 1);
}

#[test]
fn statements_if_wanted() {
    let text = render::mermaid(&graphs(true)[1]);
    assert!(text.starts_with("flowchart TD\n"));
    assert!(text.contains("drop") || text.contains("mark_to_drop"), "{text}");
    assert!(text.contains("|\"true\"|"), "{text}");
}

#[test]
fn what_is_no_program() {
    let json = bmv2_json::parse("{}").expect("JSON");
    let error = program::graphs(&bmv2_json::Node::root(&json), false).expect_err("nothing there");
    assert!(error.to_string().contains("\"headers\" is missing"));
}
