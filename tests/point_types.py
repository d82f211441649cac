"""Functions and values that points of extras name, with their types.

`python -m tests.surface` writes this, and mypy reads it.
"""
# ruff: noqa
# fmt: off

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from leaderboard.extension.boards import Board, SystemOverview
from leaderboard.extension.bundles import BundlePart, TaskPlan
from leaderboard.extension.charts import ChartKind
from scoring.sandbox.codec import Request, Values
from leaderboard.extension.formats import ExportFormat
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import Phase, Submission, Task, Team, User
from leaderboard.extension.programs import (
    Inventory,
    SubmissionKind,
    TestSetCheck,
)
from leaderboard.extension.scores import SubmissionStatus
from leaderboard.extension.submissions import Upload
from leaderboard.submissions.outside_counts import Keeper
from leaderboard.submissions.runners import Runner
from scoring.sandbox.scoring_program import ProgramLimits
from scoring.source import Source
import leaderboard.extension.programs
import leaderboard.extras.archive.download
import leaderboard.extras.code.demo
import leaderboard.extras.code.inputs
import leaderboard.extras.code.kind
import leaderboard.extras.code.pages
import leaderboard.extras.code.rules
import leaderboard.extras.code.runs
import leaderboard.extras.comparison.contest
import leaderboard.extras.comparison.system
import leaderboard.extras.criteria.bundle
import leaderboard.extras.diagnostics.charts
import leaderboard.extras.diagnostics.system
import leaderboard.extras.errors.views
import leaderboard.extras.judgements.archive
import leaderboard.extras.judgements.judgements
import leaderboard.extras.judgements.table_check
import leaderboard.extras.judgements.tables
import leaderboard.extras.judging.board_note
import leaderboard.extras.judging.bundle
import leaderboard.extras.judging.demo
import leaderboard.extras.judging.export
import leaderboard.extras.moving.conversion
import leaderboard.extras.moving.drafts
import leaderboard.extras.oversight.acts
import leaderboard.extras.paper.figure_page
import leaderboard.extras.paper.pdf
import leaderboard.extras.paper.views
import leaderboard.extras.programs.check
import leaderboard.extras.programs.look
import leaderboard.extras.programs.pages
import leaderboard.extras.programs.rights
import leaderboard.extras.programs.runs
import leaderboard.extras.publishing.croissant
import leaderboard.extras.publishing.formats.bibtex
import leaderboard.extras.publishing.formats.eval_results
import leaderboard.extras.publishing.formats.evaluation_table
import leaderboard.extras.publishing.formats.every_eval_ever
import leaderboard.extras.publishing.formats.latex
import leaderboard.extras.publishing.formats.markdown
import leaderboard.extras.publishing.formats.pictures
import leaderboard.extras.signatures.record
import leaderboard.extras.signatures.seal
import leaderboard.extras.signatures.views

extension_programs_run_limits: Callable[[], ProgramLimits] = leaderboard.extension.programs.run_limits
archive_download_is_published: Callable[[Task], bool] = leaderboard.extras.archive.download.is_published
code_demo_load: Callable[[datetime, User, Mapping[str, tuple[Team, User]]], None] = leaderboard.extras.code.demo.load
code_inputs_hiddeninputplan: type[BundlePart] = leaderboard.extras.code.inputs.HiddenInputPlan
code_inputs_plans_of: Callable[[Task], Iterable[BundlePart]] = leaderboard.extras.code.inputs.plans_of
code_inputs_write: Callable[[Task, Any], None] = leaderboard.extras.code.inputs.write
code_kind_code: SubmissionKind = leaderboard.extras.code.kind.CODE
code_pages_is_sent_to: Callable[[Task], object] = leaderboard.extras.code.pages.is_sent_to
code_rules_coderuleplan: type[BundlePart] = leaderboard.extras.code.rules.CodeRulePlan
code_rules_blockers: Callable[[Any, Any], Iterable[str]] = leaderboard.extras.code.rules.blockers
code_rules_plans_of: Callable[[Task], Iterable[BundlePart]] = leaderboard.extras.code.rules.plans_of
code_rules_refusal_of: Callable[[Upload], Refusal | None] = leaderboard.extras.code.rules.refusal_of
code_rules_write: Callable[[Task, Any], None] = leaderboard.extras.code.rules.write
code_runs_logs_shown: Callable[[Submission, User], object] = leaderboard.extras.code.runs.logs_shown
comparison_contest_kinds: Sequence[ChartKind] = leaderboard.extras.comparison.contest.KINDS
comparison_system_rank_shares: Callable[[SystemOverview, User], object] = leaderboard.extras.comparison.system.rank_shares
comparison_system_rivals: Callable[[SystemOverview, User], object] = leaderboard.extras.comparison.system.rivals
criteria_bundle_combinationplan: type[BundlePart] = leaderboard.extras.criteria.bundle.CombinationPlan
criteria_bundle_blockers: Callable[[Any, Any], Iterable[str]] = leaderboard.extras.criteria.bundle.blockers
criteria_bundle_declared_combinations: Callable[[Task], Iterable[BundlePart]] = leaderboard.extras.criteria.bundle.declared_combinations
criteria_bundle_write: Callable[[Task, Any], None] = leaderboard.extras.criteria.bundle.write
diagnostics_charts_kinds: Sequence[ChartKind] = leaderboard.extras.diagnostics.charts.KINDS
diagnostics_system_curve: Callable[[SystemOverview, User], object] = leaderboard.extras.diagnostics.system.curve
diagnostics_system_slices: Callable[[SystemOverview, User], object] = leaderboard.extras.diagnostics.system.slices
diagnostics_system_sources: Callable[[SystemOverview, User], object] = leaderboard.extras.diagnostics.system.sources
errors_views_sees_errors: Callable[[User, SubmissionStatus], bool] = leaderboard.extras.errors.views.sees_errors
judgements_archive_members: Callable[[Task], Iterable[tuple[str, bytes]]] = leaderboard.extras.judgements.archive.members
judgements_judgements_is_awaited_in: Callable[[Task], bool] = leaderboard.extras.judgements.judgements.is_awaited_in
judgements_judgements_is_taken_by: Callable[[Task], object] = leaderboard.extras.judgements.judgements.is_taken_by
judgements_table_check_judgements: Callable[[Request], tuple[Values, Sequence[bytes]]] = leaderboard.extras.judgements.table_check.judgements
judgements_tables_kept: Keeper = leaderboard.extras.judgements.tables.KEPT
judging_board_note_sentences: Callable[[Phase], Iterable[str]] = leaderboard.extras.judging.board_note.sentences
judging_bundle_campaignplan: type[BundlePart] = leaderboard.extras.judging.bundle.CampaignPlan
judging_bundle_blockers: Callable[[Any, Any], Iterable[str]] = leaderboard.extras.judging.bundle.blockers
judging_bundle_declared_campaigns: Callable[[Task], Iterable[BundlePart]] = leaderboard.extras.judging.bundle.declared_campaigns
judging_bundle_write: Callable[[Task, Any], None] = leaderboard.extras.judging.bundle.write
judging_demo_load: Callable[[datetime, User, Mapping[str, tuple[Team, User]]], None] = leaderboard.extras.judging.demo.load
judging_export_members: Callable[[Task], Iterable[tuple[str, bytes]]] = leaderboard.extras.judging.export.members
moving_conversion_convert: Callable[[Mapping[str, bytes], Inventory], tuple[Source, Any]] = leaderboard.extras.moving.conversion.convert
moving_conversion_manifest_name: Callable[[Iterable[str]], object] = leaderboard.extras.moving.conversion.manifest_name
moving_drafts_create: Callable[[TaskPlan, Any, User | None], tuple[Task, Sequence[str], Sequence[str]]] = leaderboard.extras.moving.drafts.create
moving_drafts_has_report: Callable[[Task], bool] = leaderboard.extras.moving.drafts.has_report
oversight_acts_has_late: Callable[[Task], bool] = leaderboard.extras.oversight.acts.has_late
paper_figure_page_figure: Callable[[Request], tuple[Values, Sequence[bytes]]] = leaderboard.extras.paper.figure_page.figure
paper_pdf_letters_lacking: Callable[[Iterable[str]], str] = leaderboard.extras.paper.pdf.letters_lacking
paper_views_has_board: Callable[[Task], bool] = leaderboard.extras.paper.views.has_board
programs_check_check_program: Callable[[Task, tuple[str, str, str, int], Source, Mapping[str, Source]], TestSetCheck] = leaderboard.extras.programs.check.check_program
programs_look_warning_of: Callable[[TaskPlan], str] = leaderboard.extras.programs.look.warning_of
programs_pages_failed_for: Callable[[Task], bool] = leaderboard.extras.programs.pages.failed_for
programs_pages_is_run_for: Callable[[Task], object] = leaderboard.extras.programs.pages.is_run_for
programs_rights_require_right: Callable[[User, TaskPlan, TaskPlan], None] = leaderboard.extras.programs.rights.require_right
programs_runs_runner: Runner = leaderboard.extras.programs.runs.RUNNER
programs_runs_shown_runs: Callable[[Submission, User], object] = leaderboard.extras.programs.runs.shown_runs
publishing_croissant_has_files: Callable[[Task], bool] = leaderboard.extras.publishing.croissant.has_files
publishing_formats_bibtex_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.bibtex.FORMATS
publishing_formats_bibtex_overview_entry: Callable[[SystemOverview, User], object] = leaderboard.extras.publishing.formats.bibtex.overview_entry
publishing_formats_eval_results_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.eval_results.FORMATS
publishing_formats_evaluation_table_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.evaluation_table.FORMATS
publishing_formats_every_eval_ever_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.every_eval_ever.FORMATS
publishing_formats_latex_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.latex.FORMATS
publishing_formats_markdown_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.markdown.FORMATS
publishing_formats_pictures_formats: Sequence[ExportFormat] = leaderboard.extras.publishing.formats.pictures.FORMATS
signatures_record_is_kept_of: Callable[[Task], bool] = leaderboard.extras.signatures.record.is_kept_of
signatures_seal_archive_files: Callable[[Task], Iterable[tuple[str, bytes]]] = leaderboard.extras.signatures.seal.archive_files
signatures_seal_seal: Callable[[bytes], Iterable[tuple[str, bytes]]] = leaderboard.extras.signatures.seal.seal
signatures_views_has_receipts: Callable[[User, SubmissionStatus], bool] = leaderboard.extras.signatures.views.has_receipts
