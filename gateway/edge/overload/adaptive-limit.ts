/** A number of places that follows the load: it falls quickly, and rises slowly while all places are used. */
export interface AdaptiveLimit {
  readonly value: number;
  /** Reports how many places were used at a time. */
  observe(used: number): void;
  /** Adapts the limit to what was observed since the previous call. */
  adapt(isSlow: boolean): void;
}

/** Factor while the event loop is slow. */
const DECREASE_FACTOR = 0.7;
/** Share that is added while all places are used. */
const INCREASE_SHARE = 0.1;
/** Share that is left however slow the event loop is: other processes of the machine may be the cause. */
const MIN_SHARE = 1 / 8;

export function createAdaptiveLimit(maximum: number): AdaptiveLimit {
  const minimum = Math.ceil(maximum * MIN_SHARE);
  let value = maximum;
  let maxUsed = 0;
  return {
    get value() {
      return value;
    },
    observe(used) {
      maxUsed = Math.max(maxUsed, used);
    },
    adapt(isSlow) {
      const isUsed = maxUsed >= value;
      maxUsed = 0;
      if (isSlow) value = Math.max(Math.floor(value * DECREASE_FACTOR), minimum);
      else if (isUsed) value = Math.min(value + Math.max(1, Math.floor(value * INCREASE_SHARE)), maximum);
    },
  };
}
