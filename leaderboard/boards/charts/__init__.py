"""Charts of a board: figures for Plotly and the tables behind them, from its rows."""
