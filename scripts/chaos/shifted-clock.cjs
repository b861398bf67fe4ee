// Preloaded into a service process: its clock is wrong by CHAOS_CLOCK_MS milliseconds.
const shift = Number(process.env.CHAOS_CLOCK_MS);
const now = Date.now;
Date.now = () => now() + shift;
