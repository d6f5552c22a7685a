//! The whole compiler: its output can be loaded and read, runs, and is the same each time.

use p4_bmv2::{json, p4info};
use p4c_driver::compile::{self, Compilation, Settings, Verdict};
use prost_reflect::{DescriptorPool, DynamicMessage};

use super::source::{on_deep_stack, text};
use crate::json::load_and_run;
use crate::random::Random;

/// Compiles the input, loads the compiled program and sends packets into it.
pub fn target(data: &[u8]) {
    let Some(text) = text(data) else { return };
    on_deep_stack(|| {
        let Compilation { verdict, messages } = compiled(&text);
        match verdict {
            Verdict::Refused => assert!(messages.contains("error: "), "refused without an error: {messages:?}"),
            Verdict::WithoutMain(program) => drop(control_plane(&program)),
            Verdict::Checked => unreachable!("more than checking was asked for"),
            Verdict::Compiled(program) => {
                let json = device_config(&program);
                if let Err(why) = load_and_run(&json, Random::of_round(data.len() as u64, 0)) {
                    panic!("what was compiled does not run: {why}");
                }
                let p4info = control_plane(&program);
                let Verdict::Compiled(second) = compiled(&text).verdict else { panic!("refused the second time") };
                assert!(json == device_config(&second), "other JSON the second time");
                assert!(p4info == control_plane(&second), "other P4Info the second time");
            }
        }
    });
}

fn compiled(text: &str) -> Compilation {
    compile::text("nowhere/fuzz.p4", text, &Settings::default())
}

/// The BMv2 JSON.
fn device_config(program: &p4_ir::Program) -> String {
    json::program(program).to_string()
}

/// The P4Info, which can be read back; none where something has no place in it, which is said.
fn control_plane(program: &p4_ir::Program) -> Option<String> {
    match p4info::text(&program.control_plane) {
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            None
        }
        Ok(text) => {
            let pool = DescriptorPool::decode(p4runtime_proto::DESCRIPTORS).expect("descriptors can be read");
            let kind = pool.get_message_by_name("p4.config.v1.P4Info").expect("P4Info is described");
            if let Err(error) = DynamicMessage::parse_text_format(kind, &text) {
                panic!("the P4Info cannot be read: {error}\n{text}");
            }
            Some(text)
        }
    }
}
