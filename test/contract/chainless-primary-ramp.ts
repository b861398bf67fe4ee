import { startPrimaryRampEmulator } from '../../devnet/emulators/primary-ramp/start-primary-ramp-emulator';
import { createHttpClient } from '../../src/http/http-client';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../../src/ramps/providers/primary/sign-request';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';

export type ChainlessRamp = Awaited<ReturnType<typeof openChainlessRamp>>;

/** The primary ramp's adapter against its emulator, without chains. `later` moves the adapter's clock. */
export async function openChainlessRamp() {
  const emulator = await startPrimaryRampEmulator({ chains: [], control: { autoApproveMs: null } });
  const upstream = await startFaultyUpstream(emulator.url);
  let ahead = 0;
  const http = createHttpClient({
    baseUrl: upstream.url,
    sign: primaryRampSignature(emulator),
    timeoutMs: NO_TIMEOUT_MS,
  });
  const ramp = createPrimaryRamp({ http, apiUrl: emulator.url, networks: {}, clock: () => Date.now() + ahead });
  const control = async (path: string, body: unknown): Promise<any> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${emulator.url}/_control${path}`, { method: 'POST', body: text });
    expect(response.status).toBe(200);
    return response.json();
  };
  const signed = async (body: string) => ({
    headers: { signature: (await control('/sign', body)).signature as string },
    rawBody: Buffer.from(body),
    now: Date.now(),
  });
  return {
    emulator,
    upstream,
    http,
    ramp,
    control,
    signed,
    later: (ms: number) => (ahead += ms),
    async stop() {
      upstream.close();
      await http.close();
      await emulator.stop();
    },
  };
}
