-- Requests are counted twice a call. A count that is lost in a crash costs nobody anything; a flush of the log a count would.
ALTER TABLE "rate_limit" SET UNLOGGED;
