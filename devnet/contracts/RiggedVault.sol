// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ReentrantToken} from "./ReentrantToken.sol";

/// Shares with any price that an account sets, which make calls while they are transferred.
contract RiggedVault is ReentrantToken {
    uint256 private constant RAY = 1e27;

    uint256 public priceRay = RAY;

    function setPrice(uint256 priceRay_) external {
        priceRay = priceRay_;
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return (shares * priceRay) / RAY;
    }
}
