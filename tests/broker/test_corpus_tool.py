"""tools/corpus.py: what it counts, what it leaves out, and that a loss or a fault is a miss.

The projects here are made up: two repositories with a flow, ESQL, archives and files that do not count.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from tools import corpus, corpus_checks
from tools.corpus import Exclusion, Outcome, Problem, Source, Verdict

FLOW = """\
<?xml version="1.0" encoding="UTF-8"?>
<ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
    xmlns:ComIbmCompute.msgnode="ComIbmCompute.msgnode" xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore"
    xmlns:eflow="http://www.ibm.com/wbi/2005/eflow" xmlns:utility="http://www.ibm.com/wbi/2005/eflow_utility"
    nsURI="Pricing.msgflow" nsPrefix="Pricing.msgflow">
  <eClassifiers xmi:type="eflow:FCMComposite" name="FCMComposite_1">
    <eSuperTypes href="http://www.ibm.com/wbi/2005/eflow#//FCMBlock"/>
    <translation xmi:type="utility:TranslatableString" key="Pricing" bundleName="Pricing" pluginId="Shop"/>
    <composition>
      <nodes xmi:type="ComIbmCompute.msgnode:FCMComposite_1" xmi:id="FCMComposite_1_1" location="10,20"
          computeExpression="esql://routine/#Pricing.Main">
        <translation xmi:type="utility:ConstantString" string="Price"/>
      </nodes>
    </composition>
    <propertyOrganizer/>
    <stickyBoard/>
  </eClassifiers>
</ecore:EPackage>
"""
ESQL = """\
CREATE COMPUTE MODULE Pricing
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.XMLNSC.Total = InputRoot.XMLNSC.Price * 2;
    RETURN TRUE;
  END;
END MODULE;
"""


def passing(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Find nothing wrong."""
    return [], []


def archive(members: dict[str, bytes]) -> bytes:
    """Return a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return buffer.getvalue()


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """Two repositories: `acme/shop` with a project and an interchange archive, `acme/empty` with neither."""
    shop = tmp_path / "acme+shop"
    (shop / "Shop").mkdir(parents=True)
    (shop / "Shop" / "Pricing.msgflow").write_text(FLOW)
    (shop / "Shop" / "Pricing.esql").write_text(ESQL)
    (shop / "Shop" / "Blank.subflow").write_text("\n")
    (shop / "Shop" / "copy").mkdir()
    (shop / "Shop" / "copy" / "Pricing.esql").write_text(ESQL)
    (shop / "search.esql").write_text("FROM logs | WHERE size > 10")
    (shop / "template.esql").write_text("SET x = <%= value %>;")
    (shop / "Shop" / "window.mxml").write_text('<mx:Application xmlns:mx="http://www.adobe.com/2006/mxml"/>')
    (shop / "interchange.zip").write_bytes(archive({"Old/Pricing.esql": ESQL.replace("* 2", "* 3").encode()}))
    (shop / "pictures.zip").write_bytes(archive({"a.png": b"no picture"}))
    (shop / "broken.zip").write_bytes(b"PK no archive")
    (tmp_path / "acme+empty").mkdir()
    (tmp_path / "INDEX.md").write_text("a file beside the repositories is not judged")
    return tmp_path


def judged(projects: Path, *checks: str) -> dict[str, Verdict]:
    """Judge acme/shop with checks that pass everything; return the verdicts by file."""
    chosen: dict[str, corpus.Check] = dict.fromkeys(checks, passing)
    return {each.file: each for each in corpus.judge_repository(projects / "acme+shop", chosen)}


def test_equal_files_count_once_and_projects_in_archives_count(projects: Path) -> None:
    found = judged(projects, "esql")
    counted = sorted(file for file, each in found.items() if each.outcome is Outcome.OK)
    assert counted == ["Shop/Pricing.esql", "interchange.zip!/Old/Pricing.esql"]


def test_files_that_are_no_esql_or_empty_are_left_out_and_say_why(projects: Path) -> None:
    found = judged(projects, "esql", "flow", "mxml")
    left_out = {file: each.exclusion for file, each in found.items() if each.outcome is Outcome.EXCLUDED}
    assert left_out == {
        "search.esql": "foreign",
        "template.esql": "generated",
        "Shop/Blank.subflow": "empty",
        "Shop/window.mxml": "foreign",
    }


def test_a_file_that_is_bad_on_purpose_is_left_out_only_while_our_reader_refuses_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(corpus, "KNOWN_BAD", (("acme/shop", "tests/*.esql", Exclusion.DELIBERATE, "no END"),))
    source = Source("acme/shop", "tests/bad.esql", tmp_path, tmp_path)

    refused = corpus.judge(source, b"BEGIN", lambda source, data: ([Problem("found nothing", 1)], []))
    accepted = corpus.judge(source, b"BEGIN", passing)
    elsewhere = corpus.judge(
        Source("acme/other", "tests/bad.esql", tmp_path, tmp_path),
        b"x",
        lambda source, data: ([Problem("found x", 1)], []),
    )

    assert (refused.outcome, refused.exclusion) == (Outcome.EXCLUDED, "deliberate: no END")
    assert accepted.outcome is Outcome.OK
    assert elsewhere.outcome is Outcome.MISS


def test_an_exception_that_no_reader_declares_is_a_miss(tmp_path: Path) -> None:
    def broken(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
        raise KeyError("queueName")

    verdict = corpus.judge(Source("acme/shop", "a.esql", tmp_path, tmp_path), b"SET", broken)
    assert verdict.outcome is Outcome.MISS
    assert verdict.problems[0].reason == "unexpected KeyError: 'queueName'"


def test_an_archive_cannot_write_outside_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(archive({"../../evil.esql": b"x", "/etc/evil.esql": b"x", "good.esql": b"x"}))
    assert [str(each) for each in corpus.unpack(path, tmp_path / "out" / "deep")] == ["good.esql"]
    assert not list(tmp_path.rglob("evil.esql"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('<a x="1"/>', '<a x="2"/>', "<a>: lost [('x', '1')], gained [('x', '2')]"),
        ("<a><b/><c/></a>", "<a><c/><b/></a>", "start b became start c"),
        ("<a><b/></a>", "<a/>", "start b became end a"),
        ("<a>1</a>", "<a>2</a>", "text 1 became text 2"),
        ('<a xmlns:p="q"/>', "<a/>", "<a>: lost [('xmlns:p', 'q')], gained []"),
    ],
)
def test_a_loss_is_a_difference(old: str, new: str, reason: str) -> None:
    found = corpus_checks.difference(old.encode(), new.encode())
    assert found is not None
    assert (found.reason, found.line) == (reason, 1)


def test_layout_and_attribute_order_are_no_difference() -> None:
    assert (
        corpus_checks.difference(b'<a x="1" y="2"><b/></a>', b'<?xml version="1.0"?>\n<a y="2" x="1">\n <b/>\n</a>')
        is None
    )
    assert corpus_checks.difference(b"<a><!--1--></a>", b"<a/>") is None
    assert corpus_checks.difference(b"<a><!--1--></a>", b"<a/>", comments=True) is not None


def test_places_of_namespace_declarations_count_only_where_values_name_prefixes() -> None:
    old, new = b'<a><p:b xmlns:p="urn:p" p:x="1"> </p:b></a>', b'<a xmlns:q="urn:p"><q:b q:x="1"> </q:b></a>'
    assert corpus_checks.difference(old, new) is not None
    assert corpus_checks.difference(old, new, prefixes=False) is None
    assert corpus_checks.difference(old, new.replace(b"> <", b"><"), prefixes=False) is not None


def test_a_flow_that_is_no_xml_is_a_miss_with_its_line(tmp_path: Path) -> None:
    problems, _ = corpus_checks.check_flow(Source("acme/shop", "a.msgflow", tmp_path, tmp_path), b"<a>\n<b></a>")
    assert [problem.line for problem in problems] == [2]


def test_a_flow_is_written_back_without_loss(tmp_path: Path) -> None:
    assert corpus_checks.check_flow(Source("acme/shop", "Pricing.msgflow", tmp_path, tmp_path), FLOW.encode()) == (
        [],
        [],
    )


def test_bars_are_shares_of_the_files_that_count() -> None:
    verdicts = [Verdict("esql", "a/b", f"{number}.esql") for number in range(98)]
    verdicts += [Verdict("esql", "a/b", "x.esql", Outcome.EXCLUDED, "foreign")]
    verdicts += [Verdict("esql", "a/b", "m1.esql", Outcome.MISS, problems=[Problem("found THEN", 7)])]
    verdicts += [Verdict("esql", "a/b", "m2.esql", Outcome.MISS, problems=[Problem("found THEN", 7)])]
    assert corpus.below_bars(verdicts, corpus.CHECKS) == []
    verdicts += [Verdict("esql", "a/b", "m3.esql", Outcome.MISS, problems=[Problem("found THEN", 7)])]
    assert corpus.below_bars(verdicts, corpus.CHECKS) == ["esql: 98 of 101 files pass (97.03%); the bar is 98%"]
    assert corpus.below_bars([Verdict("flow", "a/b", "f.msgflow", Outcome.MISS)], corpus.CHECKS) != []


def test_the_page_names_place_and_reason_of_each_miss_and_keeps_what_is_around_it(tmp_path: Path) -> None:
    miss = Verdict("esql", "a/b", "m.esql", Outcome.MISS, problems=[Problem("found | here", 7), Problem("more", 9)])
    path = tmp_path / "page.md"
    path.write_text(f"# Ours\n\nbefore\n{corpus.BEGIN}\nold\n{corpus.END}\nafter\n")
    corpus.write_page(path, [miss, Verdict("flow", "a/b", "f.msgflow", unknown_nodes=["ComIbmSAPInput"])])
    text = path.read_text()
    assert "| esql | a/b/m.esql:7 | found \\| here (and 1 more) |" in text
    assert "| a/b | 1 / 1 | 0 / 1 |  |  |  |  |" in text
    assert "| `ComIbmSAPInput` | 1 |" in text
    assert text.startswith("# Ours\n\nbefore\n") and text.endswith("after\n") and "old" not in text


def test_the_page_counts_the_files_that_do_not_count_by_class() -> None:
    verdicts = [
        Verdict("esql", "a/b", "1.esql", Outcome.EXCLUDED, "deliberate: no END", [Problem("x" * 500, 3)]),
        Verdict("esql", "a/b", "2.esql", Outcome.EXCLUDED, "deliberate: no BEGIN"),
        Verdict("mxml", "a/b", "3.mxml", Outcome.EXCLUDED, "foreign"),
    ]
    lines = corpus.exclusions(verdicts).splitlines()
    assert lines[0] == "deliberate 2, foreign 1."
    assert lines[4].startswith("| a/b/1.esql | deliberate: no END | line 3: xxx") and len(lines[4]) < 200


def test_a_page_without_marks_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("precious")
    with pytest.raises(SystemExit, match="has no lines"):
        corpus.write_page(path, [])
    assert path.read_text() == "precious"


def test_the_command_judges_prints_and_writes(projects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result, page = projects / "result.json", projects / "page.md"
    code = corpus.main([str(projects), "--only", "flow", "--json", str(result), "--table", str(page)])
    assert code == 0
    assert "acme+shop: flow 1/1" in capsys.readouterr().out
    assert {each["file"] for each in json.loads(result.read_text())} == {"Shop/Pricing.msgflow", "Shop/Blank.subflow"}
    assert "| acme/shop | 1 / 1 |" in page.read_text()


def test_the_command_fails_below_a_bar_and_on_nothing(projects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (projects / "acme+shop" / "Shop" / "Bad.msgflow").write_text("<flow/>")
    assert corpus.main([str(projects), "--only", "flow"]) == 1
    assert "flow: 1 of 2 files pass" in capsys.readouterr().err
    assert corpus.main([str(projects), "--only", "flow", "--repository", "empty"]) == 1
    assert "nothing to judge" in capsys.readouterr().err


def problems_of(kind: str, source: Source) -> list[Problem]:
    """Run the check of a kind on a file."""
    return corpus_checks.CHECKS_BY_KIND[kind](source, source.read())[0]


def test_esql_with_a_syntax_error_is_a_miss_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.esql"
    path.write_text(ESQL.replace("RETURN TRUE;", "RETURN TRUE"))
    assert [each.line for each in problems_of("esql", Source("acme/shop", "a.esql", path, tmp_path))] == [6]


def test_esql_is_compiled_with_the_declarations_of_its_project_and_of_referred_projects(tmp_path: Path) -> None:
    shop, common = tmp_path / "Shop", tmp_path / "Common"
    for directory in (shop, common):
        directory.mkdir()
    description = "<projectDescription><name>{}</name><projects>{}</projects></projectDescription>"
    (common / ".project").write_text(description.format("Common", ""))
    (shop / ".project").write_text(description.format("Shop", "<project>Common</project>"))
    (common / "names.esql").write_text("DECLARE ns NAMESPACE 'urn:shop';\n")
    (shop / "vat.esql").write_text("DECLARE Vat CONSTANT DECIMAL 1.2;\n")
    path = shop / "a.esql"
    path.write_text(ESQL.replace("XMLNSC.Price * 2", "XMLNSC.ns:Price * Vat"))
    source = Source("acme/shop", "Shop/a.esql", path, tmp_path)

    assert problems_of("esql", source) == []

    (common / "names.esql").unlink()
    corpus_checks.compiled_project.cache_clear()
    problems = problems_of("esql", source)
    assert [each.line for each in problems] == [4]
    assert "ns" in problems[0].reason


def bar(descriptor: str) -> bytes:
    """Return a BAR with one application: a flow, its ESQL and a deployment descriptor."""
    application = {
        "META-INF/broker.xml": f"<Broker>{descriptor}</Broker>".encode(),
        "Pricing.msgflow": FLOW.encode(),
        "Pricing.esql": ESQL.encode(),
    }
    return archive({"META-INF/manifest.mf": b"", "Shop.appzip": archive(application)})


def test_a_bar_whose_overrides_address_nodes_passes(tmp_path: Path) -> None:
    path = tmp_path / "shop.bar"
    path.write_bytes(
        bar(
            '<CompiledMessageFlow name="Pricing"><ConfigurableProperty uri="Pricing#additionalInstances"/>'
            '<ConfigurableProperty override="PRICES" uri="Pricing#Price.dataSource"/></CompiledMessageFlow>'
        )
    )
    assert problems_of("bar", Source("acme/shop", "shop.bar", path, tmp_path)) == []


def test_an_override_of_a_node_that_is_not_there_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "shop.bar"
    path.write_bytes(
        bar(
            '<CompiledMessageFlow name="Pricing">'
            '<ConfigurableProperty override="PRICES" uri="Pricing#Gone.dataSource"/></CompiledMessageFlow>'
        )
    )
    problems = problems_of("bar", Source("acme/shop", "shop.bar", path, tmp_path))
    assert len(problems) == 1 and "Pricing#Gone.dataSource" in problems[0].reason


def test_a_damaged_bar_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "shop.bar"
    data = bar("")
    path.write_bytes(data[: len(data) // 2])
    assert len(problems_of("bar", Source("acme/shop", "shop.bar", path, tmp_path))) == 1


def test_a_checker_s_fragment_is_left_out_but_the_same_file_elsewhere_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "a.esql"
    path.write_text(ESQL.replace("InputRoot.XMLNSC.Price", "Nowhere"))
    check = corpus_checks.CHECKS_BY_KIND["esql"]
    verdicts = [
        corpus.judge(Source(name, "a.esql", path, tmp_path), path.read_bytes(), check)
        for name in (corpus.CHECKERS[0], "acme/shop")
    ]
    assert [each.outcome for each in verdicts] == [Outcome.EXCLUDED, Outcome.MISS]
    assert verdicts[0].exclusion == "fragment"
    assert [each.line for each in verdicts[1].problems] == [4]


def test_node_types_that_the_broker_does_not_have_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.msgflow"
    path.write_text(FLOW.replace("ComIbmCompute", "AcmeTeleport"))
    source = Source("acme/shop", "a.msgflow", path, tmp_path)
    assert corpus_checks.check_flow(source, source.read()) == ([], ["AcmeTeleport"])


ASSEMBLY = """\
<MessageAssembly xmlns:iib="http://com.ibm.iib/lt/1.0">
   <message iib:parser="MQROOT">
      <JSON iib:parser="json">
         <Data>
            <price iib:valueType="DECIMAL">12.50</price>
         </Data>
      </JSON>
   </message>
</MessageAssembly>
"""


def test_an_assembly_is_written_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "a.mxml"
    path.write_text(ASSEMBLY)
    assert problems_of("mxml", Source("acme/shop", "a.mxml", path, tmp_path)) == []


def test_an_assembly_with_a_value_that_is_none_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "a.mxml"
    path.write_text(ASSEMBLY.replace("12.50", "twelve"))
    assert len(problems_of("mxml", Source("acme/shop", "a.mxml", path, tmp_path))) == 1


MESSAGE_SET = """\
<msgCoreModel:MRMessageSet xmlns:msgCoreModel="http://www.ibm.com/msgmodel/2003/MSGCoreModel" name="Shop"/>
"""
DFDL_SCHEMA = """\
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">
  <xs:include schemaLocation="fields.xsd"/>
</xs:schema>
"""


def test_a_message_set_loads_and_a_damaged_one_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "messageSet.mset"
    path.write_text(MESSAGE_SET)
    source = Source("acme/shop", "messageSet.mset", path, tmp_path)
    assert problems_of("mset", source) == []

    (tmp_path / "orders.mxsd").write_text("<xsd:schema>")
    assert "orders.mxsd" in problems_of("mset", source)[0].reason

    path.write_text("<other/>")
    assert len(problems_of("mset", source)) >= 1


def test_a_dfdl_schema_that_includes_what_is_not_there_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "orders.xsd"
    path.write_text(DFDL_SCHEMA)
    source = Source("acme/shop", "orders.xsd", path, tmp_path)
    assert "fields.xsd" in problems_of("dfdl", source)[0].reason

    corpus_checks.schemas_of.cache_clear()
    (tmp_path / "fields.xsd").write_text('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>')
    assert problems_of("dfdl", source) == []


def test_only_schemas_with_dfdl_annotations_are_judged(projects: Path) -> None:
    (projects / "acme+shop" / "plain.xsd").write_text('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>')
    (projects / "acme+shop" / "dfdl.xsd").write_text(DFDL_SCHEMA)
    assert list(judged(projects, "dfdl")) == ["dfdl.xsd"]
