"""What was measured, as a Markdown table and as a picture."""

import html
import math

COLUMNS = [
    ("full index, CPU-s", "index_cpu_s", "{:.1f}"),
    ("nothing changed, CPU-s", "same_cpu_s", "{:.2f}"),
    ("one-shot, CPU-ms", "ask_cpu_ms", "{:.0f}"),
    ("warm p50, CPU-ms", "warm_p50_ms", "{:.2f}"),
    ("warm p99, CPU-ms", "warm_p99_ms", "{:.2f}"),
    ("size, MB", "size_mb", "{:.0f}"),
    ("memory indexing, MB", "index_mb", "{:.0f}"),
    ("memory one-shot, MB", "ask_mb", "{:.0f}"),
]
PANELS = [
    ("Full index", "index_cpu_s", "CPU-s", "{:.1f}"),
    ("Nothing changed", "same_cpu_s", "CPU-s", "{:.2f}"),
    ("One-shot search", "ask_cpu_ms", "CPU-ms", "{:.0f}"),
    ("Warm search, p50", "warm_p50_ms", "CPU-ms", "{:.1f}"),
    ("Index on disk", "size_mb", "MB", "{:.0f}"),
    ("Memory while indexing", "index_mb", "MB", "{:.0f}"),
]


def cell(row, key, shape):
    return shape.format(row[key]) if row.get(key) is not None else "–"


def collections(found):
    return sorted({name for row in found["rows"].values() for name in row.get("ndcg", {})})


def table(found, contenders):
    """The table: one row for each program, in the order they are listed."""
    sets = collections(found)
    head = ["", "searches by", *[title for title, _, _ in COLUMNS], *[f"nDCG@10 {name}" for name in sets]]
    out = [head, ["---"] * len(head)]
    for name, kind in contenders.items():
        row = found["rows"].get(name)
        if row is None:
            continue
        if "missing" in row:
            out.append([kind.name, kind.kind, "not installed", *["–"] * (len(head) - 3)])
            continue
        judged = [row["ndcg"].get(name) for name in sets]
        out.append([kind.name, kind.kind, *[cell(row, key, shape) for _, key, shape in COLUMNS],
                    *["–" if value is None else f"{value:.3f}".lstrip("0") for value in judged]])
    return "".join("| " + " | ".join(line) + " |\n" for line in out)


STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 14px } .unit, .none { fill: #6e7781 }
.bar { fill: #9aa4b2 } .ours { fill: #2f6f4f } .name { font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .unit, .none { fill: #8b949e } .bar { fill: #57606a } .ours { fill: #4fae7f }
}
</style>"""
WIDTH, LABEL, PANEL, LINE = 960, 178, 460, 20
SHORT = {"ken": "Kenning", "replica": "FTS5 + vec + Model2Vec", "semble": "semble", "qmd": "qmd (BM25)",
         "recoll": "recoll", "tantivy": "tantivy alone", "rg": "ripgrep"}


def bar(x, y, name, value, most, shape):
    """One bar. Lengths are logarithms: the programs differ by factors of a thousand."""
    least = most / 2000
    length = 0 if value is None else max(math.log(max(value, least) / least) / math.log(2000), 0.01) * (PANEL - LABEL - 70)
    ours = name == "ken"
    weight = "name" if ours else "other"
    out = f'<text x="{x + LABEL - 8}" y="{y + 14}" text-anchor="end" class="{weight}">{html.escape(SHORT[name])}</text>'
    if value is None:
        return out + f'<text x="{x + LABEL}" y="{y + 14}" class="none">–</text>'
    return (out + f'<rect x="{x + LABEL}" y="{y + 3}" width="{length:.0f}" height="14" rx="2" class="{"ours" if ours else "bar"}"/>'
            f'<text x="{x + LABEL + length + 6:.0f}" y="{y + 14}">{shape.format(value)}</text>')


def draw(found, contenders):
    names = [name for name in contenders if name in found["rows"] and "missing" not in found["rows"][name]]
    height_panel = 34 + LINE * len(names) + 12
    height = 40 + height_panel * ((len(PANELS) + 1) // 2) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
           f'aria-label="Kenning and other programs on {html.escape(found["corpus"])}">', STYLE,
           f'<text x="10" y="22" class="title">{found["files"]:,} Markdown files, {found["mb"]:.0f} MB, two cores. '
           'Less is better; lengths are logarithmic.</text>']
    for at, (title, key, unit, shape) in enumerate(PANELS):
        x, y = 10 + (at % 2) * (PANEL + 20), 40 + (at // 2) * height_panel
        out.append(f'<text x="{x}" y="{y + 18}" class="title">{title} <tspan class="unit">{unit}</tspan></text>')
        values = {name: found["rows"][name].get(key) for name in names}
        most = max(value for value in values.values() if value is not None)
        for line, name in enumerate(names):
            out.append(bar(x, y + 28 + line * LINE, name, values[name], most, shape))
    return "\n".join([*out, "</svg>"]) + "\n"
