// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {YieldVault} from "./YieldVault.sol";

/// A vault with gates, as Morpho's second version: its limits are 0 though it accepts deposits and withdrawals of every account
/// that is not shut out.
contract GatedVault is YieldVault {
    error CannotReceiveShares();
    error CannotSendShares();

    mapping(address account => bool) public isShutOut;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint256 yearlyRate_, uint8 offset_)
        YieldVault(asset_, name_, symbol_, yearlyRate_, offset_)
    {}

    function shutOut(address account, bool isShutOut_) external {
        isShutOut[account] = isShutOut_;
    }

    function maxDeposit(address) public pure override returns (uint256) {
        return 0;
    }

    function maxMint(address) public pure override returns (uint256) {
        return 0;
    }

    function maxWithdraw(address) public pure override returns (uint256) {
        return 0;
    }

    function maxRedeem(address) public pure override returns (uint256) {
        return 0;
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        if (isShutOut[receiver]) revert CannotReceiveShares();
        shares = previewDeposit(assets);
        _deposit(msg.sender, receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver) public override returns (uint256 assets) {
        if (isShutOut[receiver]) revert CannotReceiveShares();
        assets = previewMint(shares);
        _deposit(msg.sender, receiver, assets, shares);
    }

    function withdraw(uint256 assets, address receiver, address owner) public override returns (uint256 shares) {
        if (isShutOut[owner]) revert CannotSendShares();
        shares = previewWithdraw(assets);
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256 assets) {
        if (isShutOut[owner]) revert CannotSendShares();
        assets = previewRedeem(shares);
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }
}
