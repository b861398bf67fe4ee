// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {FaucetToken} from "./FaucetToken.sol";

/// A faucet token that its holders can destroy: what the cross-chain transfer protocol burns on one chain and mints on another.
contract CctpToken is FaucetToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) FaucetToken(name_, symbol_, decimals_) {}

    /// Destroys tokens of the caller, as the minter of USDC does with those that it took over.
    function burn(uint256 value) external {
        _burn(msg.sender, value);
    }
}
