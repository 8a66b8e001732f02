"""`outings presets`: list the known systems whose feeds need only an address."""

import click

from command.options import print_json, take_config, take_json
from outings.configuration.presets import Preset, read_presets


@click.command()
@click.argument("name", required=False)
@take_config
@take_json
def presets(*, name: str | None, config: object, as_json: bool) -> None:  # noqa: ARG001 - as every command
    """List the known systems, or show what one of them fills in.

    A feed names one as preset = "socrata"; what the feed states itself wins."""
    known = read_presets()
    if name is not None and name not in known:
        raise click.UsageError(f"there is no preset {name}; allowed: {', '.join(known)}")
    shown = known if name is None else {name: known[name]}
    if as_json:
        print_json({"presets": [_describe(preset_name, preset) for preset_name, preset in shown.items()]})
    elif name is not None:
        click.echo(_format(name, known[name]), nl=False)
    else:
        width = max(map(len, known))
        for preset_name, preset in known.items():
            click.echo(f"{preset_name:{width}}  {preset.title}")
        click.echo("\noutings presets NAME shows which address to give, and what is filled in.")


def _describe(name: str, preset: Preset) -> dict[str, object]:
    versions = [{"pattern": version.pattern, "feed": version.feed} for version in preset.versions]
    return {
        "name": name, "title": preset.title, "url": preset.url, "says": preset.says, "needs": preset.needs,
        "feed": preset.feed, "versions": versions,
    }  # fmt: skip


def _format(name: str, preset: Preset) -> str:
    """Return the settings of a feed to copy, with those that the preset fills in as comments."""
    from pipeline.drafts.writing import encode, encode_key

    lines = [f"# {preset.title}", f"# url: {preset.says}", *([f"# {preset.needs}"] if preset.needs else [])]
    lines += [
        "[[feeds]]",
        f"name = {encode(name)}",
        'metro = "…"',
        f"preset = {encode(name)}",
        f"url = {encode(preset.url)}",
    ]
    lines += ["", "# It fills in:"]
    settings = {key: value for key, value in preset.feed.items() if key != "map"}
    lines += [f"# {key} = {encode(value)}" for key, value in settings.items()]
    lines += ["# [feeds.map]"] if "map" in preset.feed else []
    lines += [f"# {encode_key(member)} = {encode(rule)}" for member, rule in preset.feed.get("map", {}).items()]
    return "\n".join(lines) + "\n"
