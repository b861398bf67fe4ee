import type { Permission } from '../../src/auth/roles';

/** The credentials that execute a root field: API keys, and users of the dashboard whose role has the permission. */
export interface Access {
  readonly apiKey: boolean;
  readonly permission?: Permission;
}

const API_KEY: Access = { apiKey: true };
const API_KEY_OR_READER: Access = { apiKey: true, permission: 'read' };
const API_KEY_OR_WRITER: Access = { apiKey: true, permission: 'write' };
const user = (permission: Permission): Access => ({ apiKey: false, permission });

/** Every root field of the graph. One that is missing fails the tests. */
export const ACCESS: Readonly<Record<string, Access>> = {
  'Query.action': API_KEY_OR_READER,
  'Query.actions': API_KEY_OR_READER,
  'Query.apiKeys': user('read'),
  'Query.auditLog': user('audit:read'),
  'Query.bestStrategies': API_KEY_OR_READER,
  'Query.customerFeatures': user('read'),
  'Query.customerLimits': user('read'),
  'Query.customerStrategies': user('read'),
  'Query.customerStrategy': user('read'),
  'Query.customerTokenGroups': user('read'),
  'Query.customerTokens': user('read'),
  'Query.kycStatus': API_KEY_OR_READER,
  'Query.kycWallets': API_KEY_OR_READER,
  'Query.me': user('read'),
  'Query.members': user('members:read'),
  'Query.pendingStrategyActions': API_KEY_OR_READER,
  'Query.rampLimits': API_KEY_OR_READER,
  'Query.smartAccount': API_KEY_OR_READER,
  'Query.strategies': API_KEY_OR_READER,
  'Query.strategiesConnection': API_KEY_OR_READER,
  'Query.strategy': API_KEY_OR_READER,
  'Query.strategyDetail': API_KEY_OR_READER,
  'Query.strategyHistory': API_KEY_OR_READER,
  'Query.strategyTransaction': API_KEY,
  'Query.swapQuote': API_KEY,
  'Query.swapQuotes': API_KEY,
  'Query.swapStatus': API_KEY_OR_READER,
  'Query.token': API_KEY_OR_READER,
  'Query.tokens': API_KEY_OR_READER,
  'Query.transfer': API_KEY,
  'Query.wallet': API_KEY_OR_READER,
  'Query.wallets': API_KEY_OR_READER,
  'Query.webhookDeliveries': user('read'),
  'Query.webhookEndpoints': user('read'),
  'Mutation.addMember': user('members:write'),
  'Mutation.cancelAction': API_KEY_OR_WRITER,
  'Mutation.createApiKey': user('apiKeys:write'),
  'Mutation.createKycSession': API_KEY,
  'Mutation.createSmartAccount': API_KEY,
  'Mutation.createStrategyTransaction': API_KEY,
  'Mutation.createSwapTransaction': API_KEY,
  'Mutation.createTransfer': API_KEY,
  'Mutation.createWebhookEndpoint': user('webhooks:write'),
  'Mutation.deleteWebhookEndpoint': user('webhooks:write'),
  'Mutation.linkKycWallet': API_KEY,
  'Mutation.pinToken': API_KEY_OR_WRITER,
  'Mutation.removeMember': user('members:write'),
  'Mutation.replayParkedWebhooks': user('webhooks:write'),
  'Mutation.replayWebhookDelivery': user('webhooks:write'),
  'Mutation.reportActionTransaction': API_KEY_OR_WRITER,
  'Mutation.requestRefund': API_KEY_OR_WRITER,
  'Mutation.revokeApiKey': user('apiKeys:write'),
  'Mutation.rotateApiKey': user('apiKeys:write'),
  'Mutation.rotateWebhookSecret': user('webhooks:write'),
  'Mutation.sendTestWebhook': user('webhooks:write'),
  'Mutation.setCustomerFeatures': user('features:write'),
  'Mutation.setCustomerLimits': user('limits:write'),
  'Mutation.setMemberRole': user('members:write'),
  'Mutation.setStrategyFees': user('fees:write'),
  'Mutation.submitKycDocument': API_KEY,
  'Mutation.submitKycEvidence': API_KEY,
  'Mutation.unlinkKycWallet': API_KEY,
  'Mutation.unlockKycCurrency': API_KEY,
  'Mutation.unpinToken': API_KEY_OR_WRITER,
  'Mutation.updateWebhookEndpoint': user('webhooks:write'),
  'Subscription.actionChanged': API_KEY_OR_READER,
  'Subscription.swapQuoteStream': API_KEY,
  'Subscription.walletChanged': API_KEY_OR_READER,
};
