import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { isServiceError } from '../../errors/service-error';
import { rewardToClaim } from './build-claim';

const { underlying: first, receipt: second } = sampleStrategy('aave-v3');
const rewardOf = (token: typeof first) => ({ token, amount: 5n });

/** The token of the reward, or the code of the error and its kind, if it has one. */
function claimed(holding: Parameters<typeof rewardToClaim>[0], reward?: string): unknown {
  try {
    return rewardToClaim(holding, reward).token;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return [error.code, error.retryable];
  }
}

describe('a claim', () => {
  it('is of the reward that was named, or of the only one', () => {
    expect(claimed({ rewards: [rewardOf(first)] })).toBe(first);
    expect(claimed({ rewards: [rewardOf(first), rewardOf(second)] }, second.address)).toBe(second);
    expect(claimed({ rewards: [rewardOf(first), rewardOf(second)] })).toEqual(['VALIDATION_ERROR', false]);
    expect(claimed({ rewards: [rewardOf(first)] }, second.address)).toEqual(['LENDING_BAD_REQUEST', false]);
    expect(claimed({})).toEqual(['LENDING_BAD_REQUEST', false]);
  });

  it('is refused for now while the amount of the reward, or whether it is the only one, cannot be read', () => {
    const holding = { rewards: [rewardOf(first)], unreadRewards: [second] };
    expect(claimed(holding, first.address)).toBe(first);
    expect(claimed(holding, second.address)).toEqual(['LENDING_SERVICE_UNAVAILABLE', true]);
    expect(claimed(holding)).toEqual(['LENDING_SERVICE_UNAVAILABLE', true]);
    expect(claimed({ unreadRewards: [first] })).toEqual(['LENDING_SERVICE_UNAVAILABLE', true]);
  });
});
