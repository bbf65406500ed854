"""How costs grow with the number of passages, as a Markdown table and as curves on logarithmic axes."""

import math

LINES = [
    ("passages", lambda row: f"{row['passages']:,}"),
    ("notes, MB of text", lambda row: f"{row['notes']:,}, {row['text_mb']:.0f}"),
    ("full index, CPU-s", lambda row: f"{row['index_cpu_s']:.1f}"),
    ("memory while indexing, MB", lambda row: f"{row['index_mb']:.0f}"),
    ("file, MB (of text)", lambda row: f"{row['size_mb']:.0f} ({row['size_mb'] / row['text_mb']:.2f})"),
    ("nothing changed, CPU-s", lambda row: f"{row['same_cpu_s']:.2f}"),
    ("one file changed, `ken index FILE` (the vault), CPU-s",
     lambda row: f"{row['change']['file_cpu_s']:.2f} ({row['change']['vault_cpu_s']:.2f})"),
    *[(f"one-shot {mode}, p50 / p99 CPU-ms",
       lambda row, mode=mode: f"{row['one_shot'][mode]['p50']:.0f} / {row['one_shot'][mode]['p99']:.0f}")
      for mode in ("lexical", "vector", "hybrid")],
    *[(f"warm {mode}, p50 / p99 CPU-ms",
       lambda row, mode=mode: f"{row['warm'][mode]['p50']:.1f} / {row['warm'][mode]['p99']:.1f}")
      for mode in ("lexical", "vector", "hybrid")],
    ("warm hybrid by the clock, p50 / p99 ms",
     lambda row: f"{row['warm']['hybrid']['wall_p50']:.1f} / {row['warm']['hybrid']['wall_p99']:.1f}"),
    ("memory of the server, MB", lambda row: f"{row['warm']['memory_mb']:.0f}"),
    ("recall@50 of the nearest", lambda row: f"{row['recall_at_50']:.3f}" if "recall_at_50" in row else "–"),
]


def table(rows):
    out = []
    for number, (title, of_row) in enumerate(LINES):
        out.append("| " + " | ".join(["" if number == 0 else title, *[of_row(row) for row in rows]]) + " |\n")
        if number == 0:
            out.append("|" + "---|" * (len(rows) + 1) + "\n")
    return "".join(out)


CURVES = [
    ("Full index, CPU-s", [("", lambda row: row["index_cpu_s"])]),
    ("Memory while indexing, MB", [("", lambda row: row["index_mb"])]),
    ("Warm search p50, CPU-ms", [(mode, lambda row, mode=mode: row["warm"][mode]["p50"]) for mode in ("lexical", "vector", "hybrid")]),
    ("One-shot search p50, CPU-ms", [(mode, lambda row, mode=mode: row["one_shot"][mode]["p50"]) for mode in ("lexical", "vector", "hybrid")]),
]
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600; font-size: 14px }
.axis { stroke: #8c959f; stroke-width: 1 } .grid { stroke: #d0d7de; stroke-width: .5 }
polyline { fill: none; stroke-width: 2 } .c0 { stroke: #2f6f4f } .c1 { stroke: #b35900 } .c2 { stroke: #0969da }
.d0 { fill: #2f6f4f } .d1 { fill: #b35900 } .d2 { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .grid { stroke: #30363d } }
</style>"""
WIDTH, HEIGHT, LEFT, TOP = 440, 250, 56, 34


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)


def label(power):
    names = {3: "1k", 4: "10k", 5: "100k", 6: "1M", 7: "10M"}
    return names.get(power, f"{10 ** power:g}")


def curve(title, lines, rows, x, y):
    inner_w, inner_h = WIDTH - LEFT - 64, HEIGHT - TOP - 34
    x_low, x_high = decades([row["passages"] for row in rows])
    y_low, y_high = decades([max(of(row), 1e-3) for _, of in lines for row in rows])
    y_high = max(y_high, y_low + 1)
    at_x = lambda value: x + LEFT + (math.log10(value) - x_low) / max(x_high - x_low, 1) * inner_w
    at_y = lambda value: y + TOP + inner_h - (math.log10(max(value, 1e-3)) - y_low) / (y_high - y_low) * inner_h
    out = [f'<text x="{x + 8}" y="{y + 18}" class="title">{title}</text>']
    for power in range(y_low, y_high + 1):
        at = at_y(10 ** power)
        out.append(f'<line x1="{x + LEFT}" x2="{x + LEFT + inner_w}" y1="{at:.0f}" y2="{at:.0f}" class="grid"/>'
                   f'<text x="{x + LEFT - 6}" y="{at + 4:.0f}" text-anchor="end">{label(power)}</text>')
    for power in range(x_low, x_high + 1):
        at = at_x(10 ** power)
        out.append(f'<line x1="{at:.0f}" x2="{at:.0f}" y1="{y + TOP}" y2="{y + TOP + inner_h}" class="grid"/>'
                   f'<text x="{at:.0f}" y="{y + TOP + inner_h + 16}" text-anchor="middle">{label(power)}</text>')
    for number, (name, of) in enumerate(lines):
        points = [(at_x(row["passages"]), at_y(of(row))) for row in rows]
        out.append(f'<polyline class="c{number}" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>')
        out += [f'<circle class="d{number}" cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in points]
# Curves may lie upon each other, so their names stand below one another in a corner.
        out.append(f'<text x="{x + LEFT + 10}" y="{y + TOP + 16 + 15 * number}" class="d{number}">{name}</text>')
    return "\n".join(out)


def draw(rows):
    if not rows:
        return ""
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {2 * HEIGHT + 24}" role="img" '
           'aria-label="How the costs of Kenning grow with the number of passages">', STYLE]
    for number, (title, lines) in enumerate(CURVES):
        out.append(curve(title, lines, rows, number % 2 * WIDTH, number // 2 * HEIGHT))
    out.append(f'<text x="{WIDTH}" y="{2 * HEIGHT + 14}" text-anchor="middle">passages</text></svg>')
    return "\n".join(out) + "\n"
