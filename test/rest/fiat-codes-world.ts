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
import { type SendRequest, requestSender, deploymentOf, startGateway, WITHOUT_RAMPS } from './error-codes-world';

/** The deployments and controls that the cases of fiat codes use. */
export interface FiatWorld {
  readonly service: RunningService;
  /** The service that the test run started. */
  readonly healthy: SendRequest;
  /** The same service, for a customer without access to the secondary ramp. */
  readonly other: SendRequest;
  /** A gateway on the same database with separate ramp emulators. */
  readonly controlled: SendRequest;
  /** An API client of `controlled`, for persons at its ramps. */
  readonly controlledApi: ApiClient;
  /** A gateway on the same database without API keys of the ramps. */
  readonly unconfigured: SendRequest;
  /** Sends the request while the emulator of a ramp of `controlled` has the settings: see its `Control`. */
  whileRamp(ramp: RampName, settings: object, request: () => Promise<RestResponse>): Promise<RestResponse>;
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
  const [controlled, unconfigured] = await Promise.all([
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
    healthy: requestSender(service.baseUrl, apiKey),
    other: requestSender(service.baseUrl, customerNamed(service, 'other').apiKey),
    controlled: requestSender(controlled.url, apiKey),
    controlledApi: createApiClient(controlled.url, apiKey),
    unconfigured: requestSender(unconfigured.url, apiKey),
    whileRamp: (ramp, settings, request) => withControl(ramps[ramp].url, settings, request),
    async stop() {
      await Promise.all([controlled.stop(), unconfigured.stop()]);
      await Promise.all([ramps.primary.stop(), ramps.secondary.stop()]);
    },
  };
}

/** Separate ramp emulators, which review persons immediately. */
async function startRamps({ chains }: RunningService): Promise<Emulators> {
  const served = chains
    .filter(({ slug }) => slug === 'devnet')
    .map(({ chainId, rpcUrl, tokens }) => ({
      chainId,
      rpcUrl,
      tokens: [token(tokens, 'USDC', 6), token(tokens, 'BRLA', 18)],
    }));
  const [primary, secondary] = await Promise.all([
    startPrimaryRampEmulator({
      chains: served.map((chain) => ({ ...chain, network: 'POLYGON' })),
      control: { autoApproveMs: 0 },
    }),
    startSecondaryRampEmulator({
      chains: served.map((chain) => ({ ...chain, network: 'polygon' })),
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

async function withControl(url: string, settings: object, request: () => Promise<RestResponse>): Promise<RestResponse> {
  const before = (await (await fetch(`${url}/_control`)).json()) as Readonly<Record<string, unknown>>;
  await setControl(url, settings);
  try {
    return await request();
  } finally {
    await setControl(url, Object.fromEntries(Object.keys(settings).map((name) => [name, before[name]])));
  }
}

/** Changes settings of an emulator. */
export async function setControl(url: string, settings: object): Promise<void> {
  const { status } = await fetch(`${url}/_control`, { method: 'POST', body: JSON.stringify(settings) });
  if (status !== 200) throw new Error(`the emulator refused ${JSON.stringify(settings)}`);
}
