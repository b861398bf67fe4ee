// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {YieldVault} from "./YieldVault.sol";

/// A vault that steals: it gives half of the shares that it has promised, pays half of what it has promised, or hides a fee in
/// its promise.
contract LyingVault is YieldVault {
    bool public stealsDeposits;
    bool public stealsWithdrawals;
    bool public promisesLess;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint256 yearlyRate_, uint8 offset_)
        YieldVault(asset_, name_, symbol_, yearlyRate_, offset_)
    {}

    function lie(bool stealsDeposits_, bool stealsWithdrawals_, bool promisesLess_) external {
        (stealsDeposits, stealsWithdrawals, promisesLess) = (stealsDeposits_, stealsWithdrawals_, promisesLess_);
    }

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        uint256 shares = super.previewDeposit(assets);
        return promisesLess ? (shares * 97) / 100 : shares;
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, stealsDeposits ? shares / 2 : shares);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        super._withdraw(caller, receiver, owner, stealsWithdrawals ? assets / 2 : assets, shares);
    }
}
