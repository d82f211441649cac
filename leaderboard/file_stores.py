"""Where stored files lie: on a disk, or in a bucket that all machines share."""

import os
from pathlib import Path
from typing import Any

from leaderboard.environment import env_number

LOCAL = "leaderboard.tasks.blobs.BlobStorage"
BUCKET = "leaderboard.tasks.buckets.BucketStorage"
NEARBY = "leaderboard.tasks.blobs.BlobCache"


def file_stores(data: Path) -> dict[str, dict[str, Any]]:
    """For Django's `STORAGES`. Keys of a bucket are where boto3 looks for them."""
    bucket = os.environ.get("PLUMBLINE_S3_BUCKET", "")
    if not bucket:
        return {
            name: {"BACKEND": LOCAL, "OPTIONS": {"location": data / name}}
            for name in ("blobs", "archives")
        }
    where = {
        "bucket": bucket,
        "endpoint": os.environ.get("PLUMBLINE_S3_ENDPOINT", ""),
        "region": os.environ.get("PLUMBLINE_S3_REGION", ""),
    }
    prefix = os.environ.get("PLUMBLINE_S3_PREFIX", "").strip("/")
    found: dict[str, dict[str, Any]] = {
        name: {
            "BACKEND": BUCKET,
            "OPTIONS": {**where, "folder": f"{prefix}/{name}".lstrip("/")},
        }
        for name in ("blobs", "archives")
    }
    most = env_number("PLUMBLINE_S3_CACHE_MB", 1024) * 1024 * 1024
    near = {"location": data / "nearby", "most_bytes": most}
    return {**found, "nearby": {"BACKEND": NEARBY, "OPTIONS": near}}
