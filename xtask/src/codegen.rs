//! `cargo xtask codegen`: the table of operations becomes a `.proto`, and that becomes code. What it makes is committed, so that nobody
//! who builds needs any of this.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// What writes: a test each that looks whether what is committed is what it should be.
const STEPS: &[&[&str]] = &[
    &["test", "--quiet", "--package", "cds-service", "--lib", "the_proto_says_what_the_table_says"],
    &[
        "test",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "codegen",
        "the_code_of_the_grpc_door_is_what_its_proto_becomes",
    ],
];

pub(crate) fn run() -> Result<()> {
    for step in STEPS {
        eprintln!("== cargo {}", step.join(" "));
        let cargo = Command::new(env!("CARGO")).args(*step).env("UPDATE_EXPECT", "1").status();
        if !cargo.context("starting cargo")?.success() {
            bail!("nothing was written");
        }
    }
    Ok(())
}

/// Most who run xtask never make code: what that needs is compiled for this test alone.
#[cfg(all(test, feature = "codegen"))]
mod tests {
    use std::path::{Path, PathBuf};

    use anyhow::Result;
    use prost::Message;
    use prost_types::field_descriptor_proto::{Label, Type};
    use prost_types::{DescriptorProto, FileDescriptorSet};

    /// Messages that JSON says as lists, which write themselves: those that `grpc/json.rs` in cds-service names.
    const LISTS: &[&str] = &["Highlight", "Match", "Stamp"];

    /// Fields that JSON says as objects with an order.
    const ORDERED: &[&str] = &["signals"];

    /// Files that are made, by name.
    type Made = Vec<(&'static str, Vec<u8>)>;

    fn service() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cds-service")
    }

    /// What the `.proto` becomes: Rust, and the descriptors that reflection tells.
    fn made() -> Result<Made> {
        let mut descriptors = protox::compile(["cds/v1/cds.proto"], [service().join("proto")])?;
        let folder = std::env::temp_dir().join(format!("cds-codegen-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let written = generate(&descriptors, &folder);
        let code = std::fs::read(folder.join("cds.v1.rs"));
        std::fs::remove_dir_all(&folder)?;
        written?;
        // Comments are in the code; clients that ask for descriptors show none.
        descriptors.file.iter_mut().for_each(|file| file.source_code_info = None);
        Ok(vec![("cds.v1.rs", code?), ("cds.v1.bin", descriptors.encode_to_vec())])
    }

    fn generate(descriptors: &FileDescriptorSet, folder: &Path) -> Result<()> {
        let mut builder = tonic_prost_build::configure()
            .out_dir(folder)
            // Connections are ours: the client takes any.
            .build_transport(false)
            .emit_rerun_if_changed(false)
            .btree_map(".");
        for file in &descriptors.file {
            for message in file.message_type.iter().filter(|message| message.oneof_decl.iter().all(is_optional)) {
                let path = format!(".{}.{}", file.package(), message.name());
                let derive = if LISTS.contains(&message.name()) {
                    "#[derive(serde::Deserialize)]"
                } else {
                    "#[derive(serde::Serialize, serde::Deserialize)]"
                };
                builder = builder.message_attribute(&path, format!("{derive}\n#[serde(default)]"));
                for (field, attribute) in attributes(message) {
                    builder = builder.field_attribute(format!("{path}.{field}"), attribute);
                }
            }
        }
        Ok(builder.compile_fds(descriptors.clone())?)
    }

    /// Whether a choice is only how protobuf says that a field may be missing.
    fn is_optional(choice: &prost_types::OneofDescriptorProto) -> bool {
        choice.name().starts_with('_')
    }

    /// How fields are said in JSON: what is empty is not there.
    fn attributes(message: &DescriptorProto) -> Vec<(String, String)> {
        let is_map = |name: &str| {
            let short = name.rsplit('.').next();
            message.nested_type.iter().any(|nested| Some(nested.name()) == short)
        };
        let mut attributes = Vec::new();
        for field in &message.field {
            let is_number = matches!(field.r#type(), Type::Float | Type::Double);
            let attribute = match field.label() {
                Label::Repeated if ORDERED.contains(&field.name()) => {
                    r#"skip_serializing_if = "Vec::is_empty", with = "crate::grpc::json::by_name""#
                }
                Label::Repeated if is_map(field.type_name()) => {
                    r#"skip_serializing_if = "std::collections::BTreeMap::is_empty""#
                }
                Label::Repeated => r#"skip_serializing_if = "Vec::is_empty""#,
                _ if field.proto3_optional() && is_number => {
                    r#"skip_serializing_if = "Option::is_none", serialize_with = "crate::grpc::json::number""#
                }
                _ if field.proto3_optional() || field.r#type() == Type::Message => {
                    r#"skip_serializing_if = "Option::is_none""#
                }
                _ => continue,
            };
            attributes.push((field.name().to_owned(), format!("#[serde({attribute})]")));
        }
        attributes
    }

    #[test]
    fn the_code_of_the_grpc_door_is_what_its_proto_becomes() {
        for (name, bytes) in made().expect("the .proto is read") {
            let path = service().join("src/generated").join(name);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(path, bytes).expect("it is written");
            } else {
                let written = std::fs::read(path).expect("it is committed");
                assert!(written == bytes, "{name} is not what the .proto becomes: run `cargo xtask codegen`");
            }
        }
    }
}
