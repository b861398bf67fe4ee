/** A value that is there already, or will be: what is computed without waiting is never wrapped. */
export type MaybePromise<Value> = Value | Promise<Value>;

export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Goes on with `next` at once when `value` is there, after it otherwise. */
export const whenDone = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => Result,
): MaybePromise<Result> => (isPromise(value) ? value.then(next) : next(value));
