//! `cds combo`: plans, what they print, and what is wrong with them before anything is run.

use crate::fixture::Project;

const TREE: &str = "\
//- src/login.py
def check(password):
    return len(password) > 8

def login(user, password):
    return check(password)
//- plan.yaml
name: who calls it
description: Finds a name, then its callers.
steps:
  - name: find
    command: symbol
    args: [\"${name}\", --limit, 1]
    output_var: found
  - name: callers
    command: callers
    args: { from: \"${found.hits[0].id}\", depth: 1 }
    output_var: callers
final_output: \"${callers.edges[0].from} calls ${found.hits[0].name}\"
";

#[test]
fn steps_use_what_the_ones_before_have_found() {
    let project = Project::new(TREE);
    let output = project.cds(&["combo", "plan.yaml", "--set", "name=check"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "src/login.py:login calls check\n"), "{}", output.stderr);
    let dry = project.cds(&["combo", "plan.yaml", "--set", "name=check", "--dry-run"]);
    assert_eq!(dry.code, 0);
    assert!(dry.stdout.contains("1. find: cds symbol ${name} --limit 1 -> ${found}"), "{}", dry.stdout);
}

#[test]
fn what_is_wrong_with_a_plan_is_told_before_it_is_run() {
    let check = |plan: &str, args: &[&str], expect: &str| {
        let project = Project::new(TREE);
        project.write("p.yaml", plan);
        let output = project.cds(&[&["combo", "p.yaml"], args].concat());
        assert_eq!(output.code, 2, "{plan}: {}", output.stdout);
        assert!(output.stderr.contains(expect), "{plan}: {}", output.stderr);
    };
    check("name: x\nsteps: []\n", &[], "no steps");
    check("name: x\n", &[], "steps");
    check("name: x\nstep: 1\n", &[], "step");
    check("name: x\nsteps:\n- {name: a}\n", &[], "give command or shell");
    check("name: x\nsteps:\n- {name: a, command: status, shell: ls}\n", &[], "not both");
    check("name: x\nsteps:\n- {name: a, shell: ls}\n", &[], "--allow-shell");
    check("name: x\nsteps:\n- {name: a, command: search, args: ['${q}']}\n", &[], "${q} is not set");
    check("name: x\nsteps:\n- {name: a, command: index, args: {force: true}}\n", &[], "takes no args by name");
    check("name: x\nsteps:\n- {name: a, command: search, args: [--limit, x, a]}\n", &[], "step \"a\"");
    check(
        "name: x\nsteps:\n- {name: a, command: search, args: {query: a, limit: x}}\n",
        &[],
        "limit: expected integer",
    );
    check("name: x\nsteps:\n- {name: a, command: status}\n", &["--set", "x"], "NAME=VALUE");
}

#[cfg(unix)]
#[test]
fn the_shell_is_asked_only_where_it_is_allowed_and_words_stay_words() {
    let project = Project::new(TREE);
    project.write(
        "shell.yaml",
        "name: x\nsteps:\n- {name: say, shell: 'printf %s ${word}', output_var: said}\nfinal_output: '<${said}>'\n",
    );
    let word = "word=a'; echo broken; '$HOME";
    let output = project.cds(&["combo", "shell.yaml", "--set", word, "--allow-shell"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "<a'; echo broken; '$HOME>\n"), "{}", output.stderr);
    assert_eq!(project.cds(&["combo", "shell.yaml", "--set", word]).code, 2);
}

#[test]
fn a_plan_that_is_too_large_is_refused_before_it_is_read() {
    let project = Project::new("//- a.py\ndef a():\n    pass\n");
    let check = |plan: &str, says: &str| {
        project.write("p.yaml", plan);
        let started = std::time::Instant::now();
        let output = project.cds(&["combo", "p.yaml", "--dry-run"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{says}: {}", output.stderr);
        assert!(output.stderr.contains(says), "{says}: {}", output.stderr);
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "{says}: {:?}", started.elapsed());
    };
    check(&"#".repeat((1 << 20) + 1), "larger than 1048576 bytes, which is the limit");
    let step = "  - { name: s, command: status }\n";
    check(&format!("name: n\nsteps:\n{}", step.repeat(1_001)), "the plan has 1001 steps, the limit is 1000");
    // Nine anchors, each ten times the one before: a thousand million members.
    let mut bomb =
        "name: n\nsteps:\n  - name: s\n    command: search\n    args:\n      a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
            .to_owned();
    for i in 1..10 {
        let members = vec![format!("*a{}", i - 1); 10].join(",");
        bomb.push_str(&format!("      a{i}: &a{i} [{members}]\n"));
    }
    check(&bomb, "p.yaml");
    check(&format!("name: {}", "[".repeat(10_000)), "p.yaml");
}
