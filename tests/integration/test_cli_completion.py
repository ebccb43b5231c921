"""`install-completion`: the shell knows the commands."""

import subprocess

from personal_context.cli.app import run


def test_the_shell_completes_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    assert run(["install-completion"]) == 0
    told = capsys.readouterr().out
    (script,) = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and "personal-context" in path.read_text() and path.name != ".bashrc"
    ]
    assert str(script) in told
    asked = (
        f"source {script}; COMP_WORDS=(personal-context re); COMP_CWORD=1; "
        "COMP_LINE='personal-context re'; COMP_POINT=19; "
        "$(complete -p personal-context | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo ${COMPREPLY[*]}"
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) >= {"reindex", "restore"}
