/** Rows of a backlog that are counted at most, so that its report takes the same time however much waits. */
export const MAX_BACKLOG_COUNTED = 20_000;
