-- The market of a state. A strategy whose id changes finds its history there.
ALTER TABLE "StrategyState" ADD COLUMN market TEXT;
