(* The discrete Laplace mechanism on integer sums: src/privacy/laplace.proof.md. *)
From Coq Require Import Reals ZArith List Lia Lra.
From Hedgerow Require Import sums law choice.
Import ListNotations.
Open Scope R_scope.

(* hr_laplace_covers: the noise's scale is t = num/den >= sensitivity / (cost 2^-40). *)
Definition laplace_covers (cost num den sensitivity : Z) : Prop :=
  (0 < num /\ 0 < den /\ 0 < sensitivity /\ cost * num >= sensitivity * 2 ^ 40 * den)%Z.

(* hr_laplace_scale *)
Lemma laplace_scale_covers cost sensitivity :
  (0 < cost)%Z -> (0 < sensitivity)%Z -> laplace_covers cost (sensitivity * 2 ^ 40) cost sensitivity.
Proof. intros Hc Hs. unfold laplace_covers. lia. Qed.

Definition cut (x : Z) : Z := Z.max (- 2 ^ 61) (Z.min (2 ^ 61) x).

Lemma cut_lipschitz x y : (Z.abs (cut x - cut y) <= Z.abs (x - y))%Z.
Proof. unfold cut. lia. Qed.

Section Laplace.
  Variables (num den : Z).
  Hypotheses (num_positive : (0 < num)%Z) (den_positive : (0 < den)%Z).

  Definition inverse_scale : R := IZR den / IZR num.
  Definition ratio : R := exp (- inverse_scale).

  (* Centred at q: Pr(y) = (1 - r)/(1 + r) r^|y - q|, r = exp(-den/num). *)
  Definition laplace (q y : Z) : R := (1 - ratio) / (1 + ratio) * ratio ^ Z.abs_nat (y - q).

  Lemma inverse_scale_positive : 0 < inverse_scale.
  Proof. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

  Lemma ratio_between : 0 < ratio < 1.
  Proof.
    pose proof inverse_scale_positive as Hi. unfold ratio. split; [apply exp_pos|].
    rewrite exp_Ropp, <- Rinv_1. apply Rinv_lt_contravar; [rewrite Rmult_1_l; apply exp_pos|].
    apply Rlt_le_trans with (1 + inverse_scale); [lra|]. apply exp_at_least. lra.
  Qed.

  Lemma ratio_power m : ratio ^ m = exp (- (INR m * inverse_scale)).
  Proof.
    induction m as [|m IH]; [cbn; now rewrite Rmult_0_l, Ropp_0, exp_0|].
    cbn [pow]. rewrite IH, S_INR. unfold ratio. rewrite <- exp_plus. f_equal. ring.
  Qed.

  Lemma laplace_positive q y : 0 < laplace q y.
  Proof.
    pose proof ratio_between. unfold laplace. apply Rmult_lt_0_compat; [|now apply pow_lt].
    apply Rdiv_lt_0_compat; lra.
  Qed.

  (* The integers from q - m to q + m. *)
  Fixpoint window (q : Z) (m : nat) : list Z :=
    match m with O => [q] | S m => (q - Z.of_nat (S m))%Z :: (q + Z.of_nat (S m))%Z :: window q m end.

  Lemma window_in q m y : In y (window q m) <-> (Z.abs (y - q) <= Z.of_nat m)%Z.
  Proof.
    induction m as [|m IH]; cbn [window In]; [split; [intros [->|[]]|intros; left]; lia|].
    rewrite IH. lia.
  Qed.

  Lemma window_nodup q m : NoDup (window q m).
  Proof.
    induction m as [|m IH]; cbn [window]; [repeat constructor; easy|].
    constructor; [|constructor; [|exact IH]].
    - intros [H|H]; [lia|]. apply window_in in H. lia.
    - intros H. apply window_in in H. lia.
  Qed.

  Lemma window_sum q m : sum (laplace q) (window q m) = 1 - 2 / (1 + ratio) * ratio ^ S m.
  Proof.
    pose proof ratio_between. induction m as [|m IH].
    - cbn [window]. rewrite sum_cons, sum_nil. unfold laplace. rewrite Z.sub_diag. cbn. field. lra.
    - cbn [window]. rewrite !sum_cons, IH. unfold laplace.
      replace (Z.abs_nat (q - Z.of_nat (S m) - q)) with (S m) by lia.
      replace (Z.abs_nat (q + Z.of_nat (S m) - q)) with (S m) by lia. cbn [pow]. field. lra.
  Qed.

  Lemma in_some_window q (l : list Z) : exists m, incl l (window q m).
  Proof.
    induction l as [|a l (m & Hm)]; [exists O; easy|]. exists (Z.to_nat (Z.abs (a - q)) + m)%nat.
    intros b [->|Hb]; apply window_in; [lia|]. specialize (Hm b Hb). apply window_in in Hm. lia.
  Qed.

  Theorem laplace_is_law q : is_law (laplace q).
  Proof.
    pose proof ratio_between as Hr. split; [intros y; left; apply laplace_positive|]. split.
    - intros s (l & Hd & _ & ->). destruct (in_some_window q l) as [m Hm].
      apply Rle_trans with (sum (laplace q) (window q m)).
      + apply sum_incl; [exact Hd|exact Hm|]. intros; left; apply laplace_positive.
      + rewrite window_sum. assert (0 < 2 / (1 + ratio) * ratio ^ S m); [|lra].
        apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|now apply pow_lt].
    - intros b Hb. apply Rnot_lt_le. intros Hlt. destruct (pow_lt_1_zero ratio) with (y := (1 - b) / 2) as [m Hm];
        [rewrite Rabs_pos_eq; lra|lra|].
      specialize (Hm (S m) (le_S _ _ (le_n m))). rewrite Rabs_pos_eq in Hm by (left; now apply pow_lt).
      assert (Hs : sum (laplace q) (window q m) <= b).
      { apply Hb. exists (window q m). split; [apply window_nodup|easy]. }
      rewrite window_sum in Hs. assert (H2 : 2 / (1 + ratio) <= 2).
      { apply Rmult_le_reg_r with (1 + ratio); [lra|]. replace (2 / (1 + ratio) * (1 + ratio)) with 2 by (field; lra). lra. }
      assert (0 < ratio ^ S m) by now apply pow_lt.
      assert (2 / (1 + ratio) * ratio ^ S m <= 2 * ratio ^ S m) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (* The centre moves by `change`: no probability moves by more than exp(change/t). *)
  Lemma laplace_moved q q' y :
    laplace q y <= exp (IZR (Z.abs (q - q')) * inverse_scale) * laplace q' y.
  Proof.
    pose proof ratio_between as Hr. pose proof inverse_scale_positive as Hi. unfold laplace. rewrite !ratio_power.
    rewrite (Rmult_comm (exp (IZR _ * _))), Rmult_assoc, <- exp_plus.
    apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|]. apply exp_grows.
    rewrite !INR_IZR_INZ, !Zabs2Nat.id_abs. replace (- (IZR (Z.abs (y - q')) * inverse_scale) + IZR (Z.abs (q - q')) *
      inverse_scale)
      with ((IZR (Z.abs (q - q')) - IZR (Z.abs (y - q'))) * inverse_scale) by ring.
    rewrite Ropp_mult_distr_l, <- minus_IZR, <- opp_IZR. apply Rmult_le_compat_r; [lra|]. apply IZR_le. lia.
  Qed.
End Laplace.

(* By how much two vectors of sums differ, in L1. *)
Fixpoint distance (qs qs' : list Z) : Z :=
  match qs, qs' with q :: qs, q' :: qs' => Z.abs (q - q') + distance qs qs' | _, _ => 0 end.

Lemma distance_sym qs qs' : distance qs qs' = distance qs' qs.
Proof. revert qs'. induction qs as [|q qs IH]; intros [|q' qs']; cbn; [easy..|]. rewrite IH. lia. Qed.

(* The exact sums qs, each cut to +-2^61, each with noise of its own. *)
Definition noisy_sums (num den : Z) (qs : list Z) : list Z -> R := joint (map (fun q => laplace num den (cut q)) qs).

Theorem noisy_sums_law num den qs : (0 < num)%Z -> (0 < den)%Z -> is_law (noisy_sums num den qs).
Proof.
  intros Hn Hd. apply joint_is_law; [apply Z.eq_dec|]. intros P HP. apply in_map_iff in HP.
  destruct HP as (q & <- & _). now apply laplace_is_law.
Qed.

Lemma noisy_sums_moved num den qs qs' ys :
  (0 < num)%Z -> (0 < den)%Z -> length qs = length qs' ->
  noisy_sums num den qs ys <= exp (IZR (distance qs qs') * inverse_scale num den) * noisy_sums num den qs' ys.
Proof.
  intros Hn Hd. pose proof (inverse_scale_positive num den Hn Hd) as Hi.
  revert qs' ys. induction qs as [|q qs IH]; intros [|q' qs'] ys Hl; try discriminate; unfold noisy_sums; cbn [map joint].
  - cbn. rewrite Rmult_0_l, exp_0. lra.
  - destruct ys as [|y ys]; cbn [chain]; [lra|]. fold (noisy_sums num den qs ys) (noisy_sums num den qs' ys).
    injection Hl as Hl. specialize (IH qs' ys Hl). cbn [distance]. rewrite plus_IZR, Rmult_plus_distr_r, exp_plus.
    set (e := exp (IZR (Z.abs (q - q')) * inverse_scale num den)) in *.
    set (e' := exp (IZR (distance qs qs') * inverse_scale num den)) in *.
    replace (e * e' * (laplace num den (cut q') y * noisy_sums num den qs' ys))
      with (e * laplace num den (cut q') y * (e' * noisy_sums num den qs' ys)) by ring.
    apply Rmult_le_compat; [left; now apply laplace_positive|now apply (noisy_sums_law num den qs Hn Hd)| |exact IH].
    apply Rle_trans with (exp (IZR (Z.abs (cut q - cut q')) * inverse_scale num den) * laplace num den (cut q') y).
    + now apply laplace_moved.
    + apply Rmult_le_compat_r; [left; now apply laplace_positive|]. apply exp_grows.
      apply Rmult_le_compat_r; [lra|]. apply IZR_le, cut_lipschitz.
Qed.

(* A line of a gate of pure epsilon, whose scale the check accepts, is private for its cost. *)
Theorem laplace_private qs qs' cost num den sensitivity :
  laplace_covers cost num den sensitivity -> length qs = length qs' -> (distance qs qs' <= sensitivity)%Z ->
  private (value cost) (noisy_sums num den qs) (noisy_sums num den qs').
Proof.
  intros (Hn & Hd & Hs & Hc) Hl Hdist.
  assert (He : IZR sensitivity * inverse_scale num den <= value cost).
  { unfold inverse_scale, value, unit. assert (Hu : (0 < 2 ^ 40)%Z) by lia.
    assert (Hc' : (sensitivity * 2 ^ 40 * den <= cost * num)%Z) by lia.
    apply IZR_le in Hc'. rewrite !mult_IZR in Hc'. apply IZR_lt in Hn, Hu.
    apply Rmult_le_reg_r with (IZR num * IZR (2 ^ 40)); [now apply Rmult_lt_0_compat|].
    replace (IZR sensitivity * (IZR den / IZR num) * (IZR num * IZR (2 ^ 40)))
      with (IZR sensitivity * IZR (2 ^ 40) * IZR den) by (field; lra).
    replace (IZR cost / IZR (2 ^ 40) * (IZR num * IZR (2 ^ 40))) with (IZR cost * IZR num) by (field; lra). exact Hc'. }
  assert (Hboth : forall q q', length q = length q' -> (distance q q' <= sensitivity)%Z ->
            within (value cost) (noisy_sums num den q) (noisy_sums num den q')).
  { intros q q' Hq Hdq. apply pointwise_within. intros ys.
    apply Rle_trans with (exp (IZR (distance q q') * inverse_scale num den) * noisy_sums num den q' ys).
    - now apply noisy_sums_moved.
    - apply Rmult_le_compat_r; [now apply noisy_sums_law|]. apply exp_grows.
      apply Rle_trans with (IZR sensitivity * inverse_scale num den); [|exact He].
      apply Rmult_le_compat_r; [left; now apply inverse_scale_positive|now apply IZR_le]. }
  split; apply Hboth; auto. now rewrite distance_sym.
Qed.

(* What is released: the noisy sums, cut again. *)
Theorem laplace_release_private qs qs' cost num den sensitivity (E : list Z -> Prop) p p' :
  laplace_covers cost num den sensitivity -> length qs = length qs' -> (distance qs qs' <= sensitivity)%Z ->
  probability (noisy_sums num den qs) (fun ys => E (map cut ys)) p ->
  probability (noisy_sums num den qs') (fun ys => E (map cut ys)) p' ->
  p <= exp (value cost) * p' /\ p' <= exp (value cost) * p.
Proof. intros. now apply (post_processing (value cost) (noisy_sums num den qs) (noisy_sums num den qs') (map cut)
  (laplace_private _ _ _ _ _ _ H H0 H1) E). Qed.
