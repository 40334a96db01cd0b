#!/bin/sh
# The model in the box, trained on the gold plans of a help desk: enough steps to see the loss fall, no more.
# It needs the extra `train`. Options are those of `worksmith train sft`, such as --epochs 20, which takes minutes.
set -e
worksmith new helpdesk
worksmith export sft helpdesk --out sft.jsonl
worksmith train sft --data sft.jsonl --out helper --tune full --no-track "$@"
worksmith eval helpdesk --lm local/helper --strategy act --limit 4 --no-track
