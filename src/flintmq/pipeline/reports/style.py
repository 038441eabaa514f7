"""The style of the HTML page, and the script that sorts its tables.

The colours of series are told apart with any kind of sight on a light and on a dark ground; text on its ground has a
contrast of at least 4.5 to 1.
"""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2330;--soft:#56606e;--rule:#dfe3e9;--box:#f5f7fa;--link:#0b5cad;
--c0:#0b6bb8;--c1:#c4570b;--c2:#1a8a5f;--c3:#a63a86;--c4:#8a6d00;--c5:#4a4fc4;--c6:#b3262e;--c7:#5f6b7a}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--fg:#e6e9ee;--soft:#a3adba;--rule:#2d3540;--box:#1a2029;
--link:#7db7f0;--c0:#5aa9e6;--c1:#f0924a;--c2:#4cc596;--c3:#dc7fc0;--c4:#d6b740;--c5:#969bf5;--c6:#f07178;--c7:#a3adba}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"DejaVu Sans",sans-serif;display:grid;grid-template-columns:15rem minmax(0,1fr);column-gap:2rem;max-width:84rem;
padding:0 1.5rem 4rem;margin:0 auto}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--box);padding:.3rem .8rem}
header{grid-column:1/-1;border-bottom:3px solid var(--c0);padding:1.8rem 0 1rem;margin-bottom:1.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0}
.about{color:var(--soft);margin:.4rem 0 0;overflow-wrap:anywhere}
nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto;font-size:.9rem}
nav h2{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--soft);margin:0 0 .4rem}
nav ol{list-style:none;margin:0;padding:0}nav ol ol{padding:.1rem 0 .5rem .8rem;border-left:2px solid var(--rule)}
nav a{display:block;padding:.14rem 0;text-decoration:none;overflow-wrap:anywhere}
nav ol ol a{color:var(--soft);font-size:.85rem}
a{color:var(--link)}a:hover{text-decoration:underline}:focus-visible{outline:2px solid var(--link);outline-offset:2px}
main{min-width:0}
section{margin:0 0 3rem}
h2{font-size:1.35rem;line-height:1.3;margin:0 0 .6rem}h2 small{font-weight:400;color:var(--soft);font-size:.8rem}
h3{font-size:1rem;margin:1.6rem 0 .5rem}
section>h2{border-bottom:1px solid var(--rule);padding-bottom:.3rem}
.lead{font-size:1.08rem;margin:.6rem 0;max-width:68ch;overflow-wrap:anywhere}
section>ul{max-width:72ch;padding-left:1.2rem;margin:.5rem 0 1rem;overflow-wrap:anywhere}section>ul li{margin:.25rem 0}
.glance{background:var(--box);border:1px solid var(--rule);border-radius:8px;padding:1rem 1.3rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem}
.cards article{background:var(--bg);border:1px solid var(--rule);border-radius:6px;padding:.7rem .9rem;min-width:0}
.cards h3{font-size:.9rem;margin:0 0 .5rem}.cards h3 a{text-decoration:none}
.cards dl{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin:0 0 .4rem}
.cards dt{font-size:.75rem;color:var(--soft);overflow-wrap:anywhere}
.cards dd{margin:0;font-size:1.25rem;font-weight:600;line-height:1.2;overflow-wrap:anywhere}
.cards dd small{font-size:.75rem;font-weight:400;color:var(--soft)}
.cards p{margin:.4rem 0 0;font-size:.85rem;color:var(--soft);overflow-wrap:anywhere}
.silent{margin:1rem 0 0;font-size:.85rem;color:var(--soft)}
figure{margin:1.4rem 0;padding:1rem 1.1rem .6rem;border:1px solid var(--rule);border-radius:8px;background:var(--box)}
figcaption{font-weight:600;margin-bottom:.4rem}
.keys{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:0 0 .4rem;padding:0;font-size:.85rem}
svg{display:block;width:100%;height:auto}
.keys svg{display:inline-block;width:1.75rem;height:.75rem;margin-right:.4rem;vertical-align:-.08rem}
svg.spark{width:10rem;max-width:100%}
svg text{fill:var(--soft);font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
code{font:.88em ui-monospace,"DejaVu Sans Mono",monospace;background:var(--box);border:1px solid var(--rule);
border-radius:4px;padding:.05em .3em;overflow-wrap:anywhere}
svg .name{fill:var(--fg)}svg .value{fill:var(--soft);font-size:11px}
.grid{stroke:var(--rule);stroke-width:1}.zero{stroke:var(--soft);stroke-width:1}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}.area{fill:var(--c);opacity:.13}
.whisker{stroke:var(--c);stroke-width:5;stroke-linecap:round;opacity:.28}
.repeats{stroke:var(--fg);stroke-width:1.2;fill:none;opacity:.65}
.narrow{display:none}
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 1rem;margin:1.2rem 0}
.pair figure{margin:.5rem 0}.pair .wide{display:none}.pair .narrow{display:block}
.part{margin:1.8rem 0 2.4rem}.part>p{max-width:72ch;margin:.4rem 0;overflow-wrap:anywhere}
.part>h3{font-size:1.1rem;overflow-wrap:anywhere}
.dot,.bar{fill:var(--c)}.tip{fill:transparent}.tip:hover{fill:var(--fg);opacity:.35}
.s0{--c:var(--c0)}.s1{--c:var(--c1)}.s2{--c:var(--c2)}.s3{--c:var(--c3)}.s4{--c:var(--c4)}.s5{--c:var(--c5)}
.s6{--c:var(--c6)}.s7{--c:var(--c7)}
details{font-size:.85rem;color:var(--soft)}summary{cursor:pointer}
.scroll{overflow:auto;border:1px solid var(--rule);border-radius:6px}.scroll.long{max-height:34rem}
table{border-collapse:collapse;width:100%;font-size:.86rem}table.many{font-size:.78rem}
th,td{padding:.32rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);
overflow-wrap:break-word;max-width:34rem;unicode-bidi:isolate}
tbody tr:last-child td{border-bottom:0}
th{position:sticky;top:0;background:var(--box);font-weight:600;vertical-align:bottom}
th small{font-weight:400;color:var(--soft)}
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}
td.n,td.w{white-space:nowrap}td.t{overflow-wrap:anywhere;min-width:8rem}
.many th,.many td{padding:.3rem .38rem}
.k:first-child,.k.stays{position:sticky;left:var(--left,0);background:var(--bg);z-index:1}
th.k:first-child,th.k.stays{background:var(--box);z-index:2}
th.sorts{cursor:pointer}th[aria-sort=ascending]::after{content:" \\25B2";font-size:.65em}
th[aria-sort=descending]::after{content:" \\25BC";font-size:.65em}
tbody tr:hover td{background:var(--box)}
.none,.more{color:var(--soft)}.more{margin:.3rem 0 0;font-size:.85rem}
@media (max-width:60rem){
body{display:block;padding:0 1rem 3rem}nav{position:static;max-height:none;margin-bottom:1.5rem}
nav ol ol{display:none}}
@media (max-width:36rem){
.pair{display:block}.wide{display:none}.narrow{display:block}figure{padding:.7rem .5rem .4rem}h1{font-size:1.5rem}
.glance{padding:.8rem}.cards{grid-template-columns:minmax(0,1fr)}th,td{padding:.3rem .5rem}}
@page{size:A4;margin:13mm 12mm}
@media print{
:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--rule:#cfd4db;--box:#fff;--link:#0b5cad;
--c0:#0b6bb8;--c1:#c4570b;--c2:#1a8a5f;--c3:#a63a86;--c4:#8a6d00;--c5:#4a4fc4;--c6:#b3262e;--c7:#5f6b7a}
body{display:block;max-width:none;padding:0;font-size:10pt}
details,.skip,.narrow{display:none}.wide{display:block}
.pair .wide{display:none}.pair .narrow{display:block}.pair{display:grid}a{color:inherit;text-decoration:none}
.scroll,.scroll.long{overflow:visible;max-height:none}figure,tr,article,header{break-inside:avoid}
h1,h2,h3,figcaption,.keys,thead{break-after:avoid}
table,table.many{font-size:7.4pt}table.many{font-size:6.6pt}
th,td,.many th,.many td{padding:.14rem .26rem;position:static}.k:first-child,.k.stays,th{position:static}
td{overflow-wrap:anywhere}td.t{min-width:0}td.n,td.w{overflow-wrap:normal}
.part>p{break-after:avoid}
.wide svg{max-width:16cm}
nav{position:static;max-height:none;columns:2}nav ol ol{display:none}section{break-before:auto}}
"""

#: A heading sorts its column: numbers by their exact value, text as a reader orders it; empty cells stay last. The key
#: columns of a wide table stay where they are when it is scrolled, as long as they leave half of the width.
SCRIPT = """
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  let left = 0;
  heads.filter(head => head.classList.contains("k")).forEach((head, place) => {
    if (place && left + head.offsetWidth > table.parentElement.clientWidth / 2) return;
    for (const row of table.rows) {
      row.cells[place].classList.add("stays");
      row.cells[place].style.setProperty("--left", left + "px");
    }
    left += head.offsetWidth;
  });
  heads.forEach((head, place) => {
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      const key = row => { const cell = row.cells[place]; return cell ? cell.dataset.v ?? cell.textContent : ""; };
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        const both = x - y;
        return (down ? -1 : 1) * (Number.isNaN(both) ? x.localeCompare(y, undefined, {numeric: true}) : both);
      });
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...rows);
    };
    head.classList.add("sorts");
    head.tabIndex = 0;
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
    });
  });
}
"""
