"""Charts of a board: figures from its rows, the tables behind them, and pictures."""
