(* Laws on discrete outcomes, and pure differential privacy: what the mechanisms' files prove.
   An outcome is of any type; only finitely or countably many have a probability above 0. *)
From Coq Require Import Reals List Lra.
From Hedgerow Require Import sums.
Import ListNotations.
Open Scope R_scope.

(* exp grows. By its series: the standard library's proof, by the mean value theorem, needs the excluded middle. *)
Lemma exp_at_least x : 0 <= x -> 1 + x <= exp x.
Proof.
  intros Hx. unfold exp. destruct (exist_exp x) as [l Hl]. cbn. unfold exp_in, infinite_sum in Hl.
  apply Rnot_lt_le. intros Hlt. destruct (Hl (1 + x - l)) as [N HN]; [lra|].
  specialize (HN (S N) (le_S _ _ (le_n N))).
  assert (Hpart : 1 + x <= sum_f_R0 (fun i => / INR (fact i) * x ^ i) (S N)).
  { clear HN. induction N as [|N IH]; [cbn; lra|]. rewrite tech5.
    assert (0 <= / INR (fact (S (S N))) * x ^ S (S N)).
    { apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|now apply pow_le]. }
    lra. }
  unfold R_dist in HN. apply Rabs_def2 in HN. lra.
Qed.

Lemma exp_grows x y : x <= y -> exp x <= exp y.
Proof.
  intros H. replace y with (x + (y - x)) by ring. rewrite exp_plus. pose proof (exp_pos x).
  assert (1 <= exp (y - x)) by (apply Rle_trans with (1 + (y - x)); [|apply exp_at_least]; lra).
  rewrite <- (Rmult_1_r (exp x)) at 1. apply Rmult_le_compat_l; lra.
Qed.

(* p is the probability of the event E: the least upper bound of what finitely many of its outcomes add up to. *)
Definition probability {O : Type} (P : O -> R) (E : O -> Prop) (p : R) : Prop :=
  is_lub (fun s => exists l, NoDup l /\ (forall y, In y l -> E y) /\ s = sum P l) p.

Definition is_law {O : Type} (P : O -> R) : Prop :=
  (forall y, 0 <= P y) /\ probability P (fun _ => True) 1.

(* P and P' are the laws of what is released from two neighbouring data sets. *)
Definition within {O : Type} (epsilon : R) (P P' : O -> R) : Prop :=
  forall E p p', probability P E p -> probability P' E p' -> p <= exp epsilon * p'.

(* The neighbours are exchanged as well. *)
Definition private {O : Type} (epsilon : R) (P P' : O -> R) : Prop :=
  within epsilon P P' /\ within epsilon P' P.

Lemma pointwise_within {O : Type} epsilon (P P' : O -> R) :
  (forall y, P y <= exp epsilon * P' y) -> within epsilon P P'.
Proof.
  intros H E p p' [_ Hleast] [Hub _]. apply Hleast. intros s (l & Hd & HE & ->).
  apply Rle_trans with (exp epsilon * sum P' l).
  - rewrite <- sum_scale. apply sum_le. auto.
  - apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Hub. now exists l.
Qed.

(* Every event of a law has a probability, so that `within` is not said of nothing. *)
Lemma probability_exists {O : Type} (P : O -> R) (E : O -> Prop) :
  is_law P -> exists p, probability P E p /\ 0 <= p <= 1.
Proof.
  intros [Hnn [Hub Hleast]].
  destruct (completeness (fun s => exists l, NoDup l /\ (forall y, In y l -> E y) /\ s = sum P l)) as [p Hp].
  - exists 1. intros s (l & Hd & _ & ->). apply Hub. now exists l.
  - exists 0, []. repeat split; [constructor|easy].
  - exists p. split; [exact Hp|]. destruct Hp as [Hu Hl]. split.
    + apply Hu. exists []. repeat split; [constructor|easy].
    + apply Hl. intros s (l & Hd & _ & ->). apply Hub. now exists l.
Qed.

(* Finitely many outcomes. *)
Lemma finite_law {O : Type} (P : O -> R) (all : list O) :
  NoDup all -> (forall y, 0 <= P y) -> (forall y, ~ In y all -> P y = 0) ->
  (forall y z : O, {y = z} + {y <> z}) -> sum P all = 1 -> is_law P.
Proof.
  intros Hd Hnn Hout dec Hsum. split; [exact Hnn|]. split.
  - intros s (l & Hl & _ & ->). rewrite <- Hsum.
    assert (Hs : sum P l = sum P (filter (fun y => if in_dec dec y all then true else false) l)).
    { clear Hl. induction l as [|a l IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, IH.
      destruct (in_dec dec a all) as [H|H]; [now rewrite sum_cons|]. rewrite (Hout a H). lra. }
    rewrite Hs. apply sum_incl; [now apply NoDup_filter| |auto].
    intros a Ha. apply filter_In in Ha. destruct (in_dec dec a all); [easy|destruct Ha; discriminate].
  - intros b Hb. apply Hb. exists all. repeat split; auto.
Qed.

(* An outcome is an event, so the bound holds for every outcome if and only if it holds for every event. *)
Lemma probability_of_one {O : Type} (P : O -> R) (y : O) : 0 <= P y -> probability P (fun z => z = y) (P y).
Proof.
  intros Hy. split.
  - intros s (l & Hd & HE & ->). destruct l as [|a [|b l]].
    + now rewrite sum_nil.
    + rewrite (HE a (or_introl eq_refl)), sum_cons, sum_nil. lra.
    + exfalso. inversion Hd as [|? ? Ha _]; subst. apply Ha. left.
      now rewrite (HE a (or_introl eq_refl)), (HE b (or_intror (or_introl eq_refl))).
  - intros b Hb. apply Hb. exists [y]. repeat split.
    + repeat constructor. easy.
    + now intros z [->|[]].
    + cbn. lra.
Qed.

Lemma within_pointwise {O : Type} epsilon (P P' : O -> R) :
  (forall y, 0 <= P y) -> (forall y, 0 <= P' y) -> within epsilon P P' -> forall y, P y <= exp epsilon * P' y.
Proof. intros H H' Hw y. apply (Hw (fun z => z = y)); now apply probability_of_one. Qed.

Lemma law_below_one {O : Type} (P : O -> R) l : is_law P -> NoDup l -> sum P l <= 1.
Proof. intros [_ [Hub _]] Hd. apply Hub. now exists l. Qed.

Lemma NoDup_app_disjoint {A : Type} (l m : list A) :
  NoDup l -> NoDup m -> (forall a, In a l -> ~ In a m) -> NoDup (l ++ m).
Proof.
  induction l as [|a l IH]; intros Hl Hm H; [exact Hm|]. inversion Hl as [|? ? Ha Hl']; subst. cbn. constructor.
  - intros Hin. apply in_app_or in Hin. destruct Hin as [Hin|Hin]; [easy|]. now apply (H a (or_introl eq_refl)).
  - apply IH; auto. intros b Hb. apply H. now right.
Qed.

(* ---- Outcomes that are lists: one release after the other ---- *)

(* The first is drawn from P; what follows from K, which may depend on the first. *)
Definition chain {O : Type} (P : O -> R) (K : O -> list O -> R) (ys : list O) : R :=
  match ys with [] => 0 | y :: ys => P y * K y ys end.

Section Chain.
  Context {O : Type} (dec : forall x y : O, {x = y} + {x <> y}).
  Variables (P : O -> R) (K : O -> list O -> R).
  Hypotheses (law_P : is_law P) (law_K : forall y, is_law (K y)).

  Lemma chain_nonneg ys : 0 <= chain P K ys.
  Proof. destruct ys as [|y ys]; cbn; [lra|]. apply Rmult_le_pos; [apply law_P|apply law_K]. Qed.

  Lemma chain_at_most l : NoDup l -> sum (chain P K) l <= 1.
  Proof.
    intros Hd. pose (heads := nodup dec (flat_map (fun ys => match ys with [] => [] | y :: _ => [y] end) l)).
    pose (tails := nodup (list_eq_dec dec) (map (@tl O) l)).
    apply Rle_trans with (sum (chain P K) ([] :: flat_map (fun y => map (cons y) tails) heads)).
    - apply sum_incl; [exact Hd| |intros; apply chain_nonneg]. intros [|y ys] Hin; [now left|right].
      apply in_flat_map. exists y. split.
      + apply nodup_In, in_flat_map. exists (y :: ys). split; [exact Hin|now left].
      + apply in_map, nodup_In. change ys with (tl (y :: ys)). now apply in_map.
    - rewrite sum_cons, sum_pairs. cbn [chain]. rewrite Rplus_0_l.
      apply Rle_trans with (sum P heads).
      + apply sum_le. intros y _. rewrite sum_scale. rewrite <- (Rmult_1_r (P y)) at 2.
        apply Rmult_le_compat_l; [apply law_P|]. apply law_below_one; [apply law_K|apply NoDup_nodup].
      + apply law_below_one; [exact law_P|apply NoDup_nodup].
  Qed.

  Lemma chain_at_least b heads :
    NoDup heads ->
    (forall l, NoDup l -> (forall ys, In ys l -> exists y t, ys = y :: t /\ In y heads) -> sum (chain P K) l <= b) ->
    sum P heads <= b.
  Proof.
    revert b. induction heads as [|h heads IH]; intros b Hd Hb.
    - rewrite sum_nil. rewrite <- (sum_nil (chain P K)). apply Hb; [constructor|easy].
    - inversion Hd as [|? ? Hh Hheads]; subst. rewrite sum_cons.
      enough (sum P heads <= b - P h) by lra. apply IH; [exact Hheads|]. intros l Hl Hin.
      enough (P h <= b - sum (chain P K) l) by lra.
      destruct (Rle_lt_or_eq_dec 0 (P h)) as [Hpos|Hzero]; [apply law_P| |].
      + assert (H1 : 1 <= (b - sum (chain P K) l) / P h).
        { apply (proj2 (proj2 (law_K h))). intros s (t & Ht & _ & ->).
          apply Rmult_le_reg_r with (P h); [exact Hpos|].
          replace ((b - sum (chain P K) l) / P h * P h) with (b - sum (chain P K) l) by (field; lra).
          enough (sum (chain P K) (map (cons h) t ++ l) <= b) as H.
          { rewrite sum_app, sum_map in H. cbn [chain] in H. rewrite sum_scale in H. lra. }
          apply Hb.
          - apply NoDup_app_disjoint.
            + apply FinFun.Injective_map_NoDup; [|exact Ht]. intros x y H. now injection H.
            + exact Hl.
            + intros ys Hys Hys'. apply in_map_iff in Hys. destruct Hys as (t' & <- & _).
              destruct (Hin _ Hys') as (y & t'' & E & Hy). injection E as -> _. contradiction.
          - intros ys Hys. apply in_app_or in Hys. destruct Hys as [Hys|Hys].
            + apply in_map_iff in Hys. destruct Hys as (t' & <- & _). exists h, t'. split; [reflexivity|now left].
            + destruct (Hin _ Hys) as (y & t' & E & Hy). exists y, t'. split; [exact E|now right]. }
        apply (Rmult_le_compat_r (P h)) in H1; [|lra]. rewrite Rmult_1_l in H1.
        replace ((b - sum (chain P K) l) / P h * P h) with (b - sum (chain P K) l) in H1 by (field; lra). exact H1.
      + rewrite <- Hzero. enough (sum (chain P K) l <= b) by lra. apply Hb; [exact Hl|].
        intros ys Hys. destruct (Hin ys Hys) as (y & t & E & Hy). exists y, t. split; [exact E|now right].
  Qed.

  Lemma chain_is_law : is_law (chain P K).
  Proof.
    split; [apply chain_nonneg|]. split.
    - intros s (l & Hl & _ & ->). now apply chain_at_most.
    - intros b Hb. apply (proj2 (proj2 law_P)). intros s (heads & Hd & _ & ->). apply chain_at_least; [exact Hd|].
      intros l Hl _. apply Hb. now exists l.
  Qed.
End Chain.

Definition nothing {O : Type} (ys : list O) : R := match ys with [] => 1 | _ => 0 end.

Lemma nothing_is_law {O : Type} : (forall x y : O, {x = y} + {x <> y}) -> is_law (@nothing O).
Proof.
  intros dec. apply finite_law with [[]].
  - repeat constructor. easy.
  - intros [|? ?]; cbn; lra.
  - intros [|? ?] H; [|reflexivity]. destruct H. now left.
  - apply list_eq_dec, dec.
  - cbn. lra.
Qed.

(* Independent draws. *)
Fixpoint joint {O : Type} (Ps : list (O -> R)) : list O -> R :=
  match Ps with [] => nothing | P :: Ps => chain P (fun _ => joint Ps) end.

Lemma joint_is_law {O : Type} (Ps : list (O -> R)) :
  (forall x y : O, {x = y} + {x <> y}) -> (forall P, In P Ps -> is_law P) -> is_law (joint Ps).
Proof.
  intros dec. induction Ps as [|P Ps IH]; intros H; cbn [joint]; [now apply nothing_is_law|].
  apply chain_is_law; [exact dec|apply H; now left|]. intros _. apply IH. intros Q HQ. apply H. now right.
Qed.

(* Whatever is computed from an outcome, without the records, is as private: an event of f y is an event of y. *)
Theorem post_processing {O O' : Type} epsilon (P P' : O -> R) (f : O -> O') :
  private epsilon P P' ->
  forall (E : O' -> Prop) p p', probability P (fun y => E (f y)) p -> probability P' (fun y => E (f y)) p' ->
  p <= exp epsilon * p' /\ p' <= exp epsilon * p.
Proof. intros [H H'] E p p' Hp Hp'. split; [now apply (H _ _ _ Hp)|now apply (H' _ _ _ Hp')]. Qed.

(* A record that is replaced is one removed and one added, by way of the laws Q without either. *)
Theorem replaced_record {O : Type} epsilon (P Q P' : O -> R) :
  is_law Q -> private epsilon P Q -> private epsilon Q P' -> private (2 * epsilon) P P'.
Proof.
  intros HQ [H1 H2] [H3 H4]. assert (He : exp (2 * epsilon) = exp epsilon * exp epsilon).
  { rewrite <- exp_plus. f_equal. ring. }
  pose proof (exp_pos epsilon).
  split; intros E p p' Hp Hp'; destruct (probability_exists Q E HQ) as (q & Hq & _); rewrite He, Rmult_assoc.
  - apply Rle_trans with (exp epsilon * q); [now apply (H1 E)|]. apply Rmult_le_compat_l; [lra|]. now apply (H3 E).
  - apply Rle_trans with (exp epsilon * q); [now apply (H4 E)|]. apply Rmult_le_compat_l; [lra|]. now apply (H2 E).
Qed.
