import { type Deployments, startDeployments } from '../actions/deployments/start-deployments';
import { createDeploymentRequester } from '../actions/deployments/request-deployment';
import { createActionStarter } from '../actions/start-action';
import { deploymentLimits } from '../auth/customer-limits';
import type { DeploymentRequester } from '../smart-accounts/create-smart-account';
import type { Infrastructure } from './infrastructure';
import { StartupError } from './startup-error';

/** Requests deployments of smart accounts; `undefined` where the first user operation deploys an account. */
export function deploymentRequester({ config, database }: Infrastructure): DeploymentRequester | undefined {
  if (!config.DEPLOY_SMART_ACCOUNTS) return undefined;
  const starter = createActionStarter({ database, limits: deploymentLimits(config) });
  return createDeploymentRequester({ database, chains: config.chains.table, ...starter });
}

/** @throws StartupError when a worker should deploy accounts and has no wallet that pays for it */
export function assertMayDeploy({ config, serviceWallet }: Infrastructure): void {
  if (!config.DEPLOY_SMART_ACCOUNTS || serviceWallet !== undefined) return;
  throw new StartupError('DEPLOY_SMART_ACCOUNTS requires SERVICE_WALLET_KEY, the wallet that pays for deployments.');
}

/** Carries out deployments in a worker, where the service deploys accounts. */
export function openDeployments(infrastructure: Infrastructure): Deployments | undefined {
  const { config, database, rpc, log, serviceWallet } = infrastructure;
  if (!config.DEPLOY_SMART_ACCOUNTS || serviceWallet === undefined) return undefined;
  return startDeployments({
    database,
    rpc,
    log,
    serviceWallet,
    chains: config.chains.table,
    maxGasUsd: config.DEPLOYMENT_MAX_USD,
    pollMs: config.TRACKER_POLL_MS,
  });
}
