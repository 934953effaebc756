"""Credentials in the config of an image are found by value, name and shape."""

import pytest

from envsvc.exchange.secret_names import RedactionRules
from envsvc.snapshot.config_secrets import (
    ConfigSecret,
    SecretInImageError,
    config_secrets,
    refuse_secrets,
)
from envsvc.snapshot.container import HealthTest, RunConfig

RULES = RedactionRules()
KNOWN = ("tulip-field", "")
TOKEN = "RUN_TOKEN=tok_live_9f8e7d6c5b4a"


@pytest.mark.parametrize(
    ("config", "found"),
    [
        (RunConfig(env=(TOKEN,)), ("Env RUN_TOKEN", "secret.field.token")),
        (RunConfig(env=("DB_PASSWORD=hunter2",)), ("Env DB_PASSWORD", "secret.field.password")),
        (RunConfig(env=("X=tulip-field",)), ("Env X", "secret.known")),
        (RunConfig(env=("X=dHVsaXAtZmllbGQ=",)), ("Env X", "secret.known")),
        (RunConfig(env=("X=AKIAIOSFODNN7EXAMPLE",)), ("Env X", "secret.shape.key")),
        (RunConfig(env=("DB=pg://u:pw123456@db/x",)), ("Env DB", "secret.url.userinfo")),
        (RunConfig(labels={"api_key": "0123456789abc"}), ("Labels api_key", "secret.field.token")),
        (RunConfig(command=("run", "--key=tulip-field")), ("Cmd", "secret.known")),
        (RunConfig(entrypoint=("run", "tulip-field")), ("Entrypoint", "secret.known")),
        (
            RunConfig(health=HealthTest(test=("CMD", "curl", "tulip-field"))),
            ("Healthcheck", "secret.known"),
        ),
    ],
)  # fmt: skip
def test_a_credential_is_named_by_place_and_rule(config: RunConfig, found: tuple[str, str]) -> None:
    """Wherever an image shows it."""
    assert config_secrets(config, KNOWN, RULES) == [ConfigSecret(*found)]


@pytest.mark.parametrize(
    "line", ["PATH=/usr/bin:/bin", "TOKEN_TTL_S=3600", "EMPTY", "DB_PASSWORD_FILE=/run/secrets/db"]
)
def test_what_is_no_credential_is_not_found(line: str) -> None:
    """An image of an ordinary app can be made."""
    assert config_secrets(RunConfig(env=(line,)), KNOWN, RULES) == []


def test_a_rule_that_is_off_finds_nothing() -> None:
    """What app.yaml says about redaction counts here too."""
    rules = RedactionRules(off=("secret.field.token",))

    assert config_secrets(RunConfig(env=(TOKEN,)), (), rules) == []


def test_a_clean_config_passes() -> None:
    """Nothing is refused without a finding."""
    refuse_secrets(RunConfig(env=("PATH=/bin",)), KNOWN, RULES)


@pytest.mark.parametrize(
    ("config", "advice"),
    [
        (RunConfig(env=(TOKEN,)), "or --drop-env RUN_TOKEN"),
        (
            RunConfig(env=("X=tulip-field",), command=("tulip-field",)),
            "or --drop-env X correct the image",
        ),
    ],
)
def test_a_refusal_says_how_to_go_on_and_never_the_value(config: RunConfig, advice: str) -> None:
    """D9: the finding never prints the secret."""
    with pytest.raises(SecretInImageError) as refused:
        refuse_secrets(config, KNOWN, RULES)

    assert str(refused.value).endswith(advice)
    assert "tok_live" not in str(refused.value)
    assert "tulip" not in str(refused.value)
