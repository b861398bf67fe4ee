// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Plays a Chainlink feed on the local chains, or the uptime feed of a rollup's sequencer. Any account may set it.
contract PriceAggregator {
    uint8 public immutable decimals;
    int256 private answer;
    /// Begin of the round; zero stands for the current block.
    uint256 private startedAt;
    /// Last update; zero stands for the current block, so that the feed never becomes stale by itself.
    uint256 private updatedAt;

    constructor(uint8 decimals_, int256 answer_, uint256 startedAt_) {
        decimals = decimals_;
        answer = answer_;
        startedAt = startedAt_;
    }

    function setRound(int256 answer_, uint256 startedAt_, uint256 updatedAt_) external {
        (answer, startedAt, updatedAt) = (answer_, startedAt_, updatedAt_);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, answer, startedAt == 0 ? block.timestamp : startedAt, updatedAt == 0 ? block.timestamp : updatedAt, 1);
    }
}
