"""Judgements: tables of what people or metrics elsewhere made of submissions."""
