/** Stops the service when the last of its tests has not done so. */
export default async function stopService(): Promise<void> {
  await globalThis.serviceUnderTest?.stop();
  globalThis.serviceUnderTest = undefined;
}
