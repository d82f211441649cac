"""What is answered to organizers, for the schema."""

from rest_framework.fields import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
)

from leaderboard.api.shapes import maybe, objects, shape, texts

GoldRevision = shape(
    "GoldRevision",
    number=IntegerField(),
    state=CharField(),
    note=CharField(),
    public_note=CharField(),
    created_at=DateTimeField(),
    live_at=maybe(DateTimeField),
    corrected=texts(),
)
Progress = shape(
    "Progress", total=IntegerField(), ended=IntegerField(), scored=IntegerField()
)
WholeGoldRevision = shape(
    "WholeGoldRevision",
    **GoldRevision().fields,
    progress=Progress(),
    failures=objects(),
)
BundleChange = shape(
    "BundleChange",
    where=CharField(),
    name=CharField(),
    before=CharField(),
    after=CharField(),
    text=CharField(),
)
BundleResult = shape(
    "BundleResult",
    applied=BooleanField(),
    etag=CharField(),
    changes=BundleChange(many=True),
    corrected_gold=texts(),
)
