/** Stops one part of the process. */
export type Stop = () => Promise<void>;

/**
 * Stops the parts in the reverse order of their start and removes them from the list, so that each is stopped once. A part
 * that fails to stop does not keep the others running.
 *
 * @throws AggregateError with all failures, when every part has been stopped or has failed
 */
export async function stopAll(stops: Stop[]): Promise<void> {
  const failures: unknown[] = [];
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
    await stop().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the service did not stop cleanly');
}
