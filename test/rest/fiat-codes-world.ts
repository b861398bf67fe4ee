import type { Address } from 'viem';
import {
  type PrimaryRampEmulator,
  startPrimaryRampEmulator,
} from '../../devnet/emulators/primary-ramp/start-primary-ramp-emulator';
import {
  type SecondaryRampEmulator,
  startSecondaryRampEmulator,
} from '../../devnet/emulators/secondary-ramp/start-secondary-ramp-emulator';
import { type ApiClient, createApiClient } from '../../scripts/demo/api-client';
import { customerNamed, type RestResponse, type RunningService, runningService } from '../setup/running-service';
import { type Ask, askerOf, deploymentOf, startGateway, WITHOUT_RAMPS } from './error-codes-world';

/** What the cases of fiat codes are produced with. */
export interface FiatWorld {
  readonly service: RunningService;
  /** The service that the test run started. */
  readonly healthy: Ask;
  /** The same for a customer who is not opted into the secondary ramp. */
  readonly other: Ask;
  /** A gateway on the same database whose ramps nobody else asks. */
  readonly steered: Ask;
  /** People of the customer, at the ramps of `steered`. */
  readonly steeredApi: ApiClient;
  /** A gateway on the same database without keys of the ramps. */
  readonly unconfigured: Ask;
  /** What is answered while a ramp of `steered` does as it is told: see `Control` of its emulator. */
  whileRamp(ramp: RampName, order: object, ask: () => Promise<RestResponse>): Promise<RestResponse>;
  stop(): Promise<void>;
}

export type RampName = 'primary' | 'secondary';

interface Emulators {
  readonly primary: PrimaryRampEmulator;
  readonly secondary: SecondaryRampEmulator;
}

export async function openFiatWorld(): Promise<FiatWorld> {
  const service = runningService();
  const deployment = deploymentOf();
  const ramps = await startRamps(service);
  const [steered, unconfigured] = await Promise.all([
    startGateway({
      ...deployment,
      PRIMARY_RAMP_URL: ramps.primary.url,
      SECONDARY_RAMP_URL: ramps.secondary.url,
      PRIMARY_RAMP_API_KEY: ramps.primary.apiKey,
      PRIMARY_RAMP_PRIVATE_KEY: ramps.primary.privateKey,
      SECONDARY_RAMP_API_KEY: ramps.secondary.apiKey,
    }),
    startGateway({ ...deployment, ...WITHOUT_RAMPS }),
  ]);
  const { apiKey } = customerNamed(service, 'load');
  return {
    service,
    healthy: askerOf(service.baseUrl, apiKey),
    other: askerOf(service.baseUrl, customerNamed(service, 'other').apiKey),
    steered: askerOf(steered.url, apiKey),
    steeredApi: createApiClient(steered.url, apiKey),
    unconfigured: askerOf(unconfigured.url, apiKey),
    whileRamp: (ramp, order, ask) => whileSteered(ramps[ramp].url, order, ask),
    async stop() {
      await Promise.all([steered.stop(), unconfigured.stop()]);
      await Promise.all([ramps.primary.stop(), ramps.secondary.stop()]);
    },
  };
}

/** Ramps of our own, who decide about people at once. */
async function startRamps({ chains }: RunningService): Promise<Emulators> {
  const known = chains
    .filter(({ slug }) => slug === 'devnet')
    .map(({ chainId, rpcUrl, tokens }) => ({
      chainId,
      rpcUrl,
      tokens: [token(tokens, 'USDC', 6), token(tokens, 'BRLA', 18)],
    }));
  const [primary, secondary] = await Promise.all([
    startPrimaryRampEmulator({
      chains: known.map((chain) => ({ ...chain, network: 'POLYGON' })),
      control: { autoApproveMs: 0 },
    }),
    startSecondaryRampEmulator({
      chains: known.map((chain) => ({ ...chain, network: 'polygon' })),
      control: { reviewMs: 1 },
    }),
  ]);
  return { primary, secondary };
}

const token = (tokens: Readonly<Record<string, Address>>, symbol: string, decimals: number) => ({
  address: tokens[symbol]!,
  symbol,
  decimals,
});

async function whileSteered(url: string, order: object, ask: () => Promise<RestResponse>): Promise<RestResponse> {
  const before = (await (await fetch(`${url}/_control`)).json()) as Readonly<Record<string, unknown>>;
  await steer(url, order);
  try {
    return await ask();
  } finally {
    await steer(url, Object.fromEntries(Object.keys(order).map((name) => [name, before[name]])));
  }
}

/** Tells an emulator what to do. */
export async function steer(url: string, order: object): Promise<void> {
  const { status } = await fetch(`${url}/_control`, { method: 'POST', body: JSON.stringify(order) });
  if (status !== 200) throw new Error(`the emulator cannot ${JSON.stringify(order)}`);
}
