"""Simulated populations with known truth: does the engine keep what it claims?"""
